// SPDX-License-Identifier: Apache-2.0
// Options of OpenSM's file: all that OpenSM 3.3.23 lists, each in its class.
#include "engine/model/opensm_options.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"

namespace fabric {
namespace {

using Class = OpensmOptionClass;

const std::map<Class, std::vector<std::string>> kOpensm{
    {Class::settable,
     {"m_key_lease_period",
      "m_key_protection_level",
      "m_key_lookup",
      "lmc",
      "lmc_esp0",
      "sm_sl",
      "packet_life_time",
      "vl_stall_count",
      "leaf_vl_stall_count",
      "head_of_queue_lifetime",
      "leaf_head_of_queue_lifetime",
      "max_op_vls",
      "force_link_speed",
      "force_link_speed_ext",
      "force_link_width",
      "fdr10",
      "subnet_timeout",
      "local_phy_errors_threshold",
      "overrun_errors_threshold",
      "use_mfttop",
      "no_partition_enforcement",
      "part_enforce",
      "allow_both_pkeys",
      "keep_pkey_indexes",
      "sm_assigned_guid",
      "sweep_interval",
      "reassign_lids",
      "force_heavy_sweep",
      "sweep_on_trap",
      "port_profile_switch_nodes",
      "avoid_throttled_links",
      "connect_roots",
      "use_ucast_cache",
      "quasi_ftree_indexing",
      "max_reverse_hops",
      "do_mesh_analysis",
      "lash_start_vl",
      "nue_max_num_vls",
      "nue_include_switches",
      "port_shifting",
      "scatter_ports",
      "guid_routing_order_no_scatter",
      "sa_db_dump",
      "ignore_other_sm",
      "sminfo_polling_timeout",
      "polling_retry_number",
      "honor_guid2lid_file",
      "max_wire_smps",
      "max_wire_smps2",
      "max_smps_timeout",
      "transaction_timeout",
      "transaction_retries",
      "long_transaction_timeout",
      "max_msg_fifo_timeout",
      "single_thread",
      "babbling_port_policy",
      "drop_event_subscriptions",
      "ipoib_mcgroup_creation_validation",
      "mcgroup_join_validation",
      "use_original_extended_sa_rates_only",
      "use_optimized_slvl",
      "fsync_high_avail_files",
      "perfmgr",
      "perfmgr_redir",
      "perfmgr_sweep_time_s",
      "perfmgr_max_outstanding_queries",
      "perfmgr_ignore_cas",
      "perfmgr_rm_nodes",
      "perfmgr_log_errors",
      "perfmgr_query_cpi",
      "perfmgr_xmit_wait_log",
      "perfmgr_xmit_wait_threshold",
      "log_flags",
      "log_max_size",
      "accum_log_file",
      "enable_quirks",
      "no_clients_rereg",
      "disable_multicast",
      "exit_on_fatal",
      "qos",
      "suppress_sl2vl_mad_status_errors",
      "qos_max_vls",
      "qos_high_limit",
      "qos_vlarb_high",
      "qos_vlarb_low",
      "qos_sl2vl",
      "qos_ca_max_vls",
      "qos_ca_high_limit",
      "qos_ca_vlarb_high",
      "qos_ca_vlarb_low",
      "qos_ca_sl2vl",
      "qos_sw0_max_vls",
      "qos_sw0_high_limit",
      "qos_sw0_vlarb_high",
      "qos_sw0_vlarb_low",
      "qos_sw0_sl2vl",
      "qos_swe_max_vls",
      "qos_swe_high_limit",
      "qos_swe_vlarb_high",
      "qos_swe_vlarb_low",
      "qos_swe_sl2vl",
      "qos_rtr_max_vls",
      "qos_rtr_high_limit",
      "qos_rtr_vlarb_high",
      "qos_rtr_vlarb_low",
      "qos_rtr_sl2vl",
      "congestion_control",
      "cc_max_outstanding_mads",
      "cc_sw_cong_setting_control_map",
      "cc_sw_cong_setting_victim_mask",
      "cc_sw_cong_setting_credit_mask",
      "cc_sw_cong_setting_threshold",
      "cc_sw_cong_setting_packet_size",
      "cc_sw_cong_setting_credit_starvation_threshold",
      "cc_sw_cong_setting_credit_starvation_return_delay",
      "cc_sw_cong_setting_marking_rate",
      "cc_ca_cong_setting_port_control",
      "cc_ca_cong_setting_control_map",
      "cc_ca_cong_setting_ccti_timer",
      "cc_ca_cong_setting_ccti_increase",
      "cc_ca_cong_setting_trigger_threshold",
      "cc_ca_cong_setting_ccti_min",
      "cc_cct",
      "consolidate_ipv6_snm_req",
      "log_prefix"}},
    {Class::decided,
     {"guid",
      "sm_priority",
      "sm_inactive",
      "subnet_prefix",
      "routing_engine",
      "root_guid_file",
      "io_guid_file",
      "partition_config_file",
      "daemon",
      "force_log_flush"}},
    {Class::secret, {"m_key", "sm_key", "sa_key", "cc_key"}},
    {Class::path,
     {"port_prof_ignore_file",
      "hop_weights_file",
      "port_search_ordering_file",
      "lid_matrix_dump_file",
      "lfts_file",
      "cn_guid_file",
      "ids_guid_file",
      "guid_routing_order_file",
      "sa_db_file",
      "torus_config",
      "event_db_dump_file",
      "node_name_map_name",
      "log_file",
      "per_module_logging_file",
      "dump_files_dir",
      "qos_policy_file",
      "prefix_routes_file"}},
    {Class::opens, {"console", "console_port", "event_plugin_name", "event_plugin_options"}},
};
// Of OpenSM as NVIDIA ships it, which has more.
const std::map<Class, std::vector<std::string>> kOfVendors{
    {Class::secret,
     {"n2n_key", "vs_key", "key_mgr_seed", "am_key", "aggregation_mgr_key", "sm_password"}},
    {Class::path,
     {"device_configuration_file",
      "qos_config_file",
      "osm_stats_file",
      "fast_recovery_conf_file",
      "ppcc_algo_dir",
      "service_name2key_map_file"}},
    {Class::settable,
     {"virt_max_ports_in_process",
      "ar_mode",
      "shield_mode",
      "routing_flags",
      "m_key_per_port",
      "cc_key_enable",
      "mc_primary_root_guid"}},
    {Class::opens, {"osm_event_plugins", "run_script"}},
};

TEST_CASE("every option that OpenSM has is in a class", "[model]") {
  std::set<std::string> all;
  for (const auto* table : {&kOpensm, &kOfVendors}) {
    for (const auto& [is, names] : *table) {
      for (const std::string& name : names) {
        INFO(name);
        const OpensmOptionRule rule = opensm_option_rule(name);
        CHECK(rule.is == is);
        CHECK(rule.by.empty() == (is != Class::decided));
        if (table == &kOpensm) all.insert(name);
      }
    }
  }
  CHECK(all.size() == 160);
  CHECK(opensm_option_rule("virt_enabled").is == Class::decided);
}

TEST_CASE("a value of an option is as OpenSM reads it", "[model]") {
  CHECK(opensm_value("TRUE") == Value{true});
  CHECK(opensm_value("false") == Value{false});
  CHECK(opensm_value("0x12") == Value{18});
  CHECK(opensm_value("012") == Value{10});
  CHECK(opensm_value("-1") == Value{-1});
  CHECK(opensm_value("0:64,1:0") == Value{"0:64,1:0"});
  CHECK(opensm_value("0xffffffffffffffff") == Value{"0xffffffffffffffff"});
  CHECK(opensm_text(true) == "TRUE");
  CHECK(opensm_text(18) == "18");
  CHECK(opensm_text("both") == "both");
  for (const char* value :
       {"", " a", "a\nsm_key 1", "a#b", "\"a\"", "/etc/x", "a/b", "(null)", "\xc3\xa4"}) {
    INFO(value);
    CHECK_FALSE(why_no_opensm_value(value).empty());
  }
  CHECK_FALSE(why_no_opensm_value(std::string(600, 'a')).empty());
  CHECK(why_no_opensm_value("0:64, 1:0").empty());
}

}  // namespace
}  // namespace fabric
