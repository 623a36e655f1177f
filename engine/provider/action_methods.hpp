// SPDX-License-Identifier: Apache-2.0
// Names of an action's work: ActionDraft::kind, and `kind` in plan files, journals and events.
//
// These are texts and no enumeration, because they are open: a platform brings methods of its own,
// and no layer above the providers may have to list them. A plan file keeps the text, and `apply`
// runs a method that it does not know like any other. The engine itself knows the first group.
#pragma once

#include <string_view>

namespace fabric::methods {

// Methods of the planner and the executor.
inline constexpr std::string_view kReboot = "reboot";                       // the boot_id protocol
inline constexpr std::string_view kHealthCheck = "health.check";            // waits until it passes
inline constexpr std::string_view kHookBefore = "hook.before";              // begins a disruption
inline constexpr std::string_view kMaintenanceEnter = "maintenance.enter";  // between the two hooks
inline constexpr std::string_view kHookAfter = "hook.after";                // ends the disruption
// Saves the running configuration for the next boot: one action a node, after all other work.
inline constexpr std::string_view kConfigurationSave = "configuration.save";
inline constexpr std::string_view kManagerStart = "subnet_manager.start";  // ordered between nodes
inline constexpr std::string_view kManagerStop = "subnet_manager.stop";    // ordered between nodes

// Methods of the providers of Linux, by the kind of resource.
inline constexpr std::string_view kManual = "manual";  // a person connects a cable
inline constexpr std::string_view kFirmwareBackup = "firmware.backup";
inline constexpr std::string_view kFirmwareUpload = "firmware.upload";
inline constexpr std::string_view kFirmwareBurn = "firmware.burn";
inline constexpr std::string_view kHookForget = "hook.forget";
inline constexpr std::string_view kLinkNameWrite = "link_name.write";
inline constexpr std::string_view kLinkNameRename = "link_name.rename";
inline constexpr std::string_view kManagerWrite = "subnet_manager.write";
inline constexpr std::string_view kManagerReload = "subnet_manager.reload";
inline constexpr std::string_view kManagerRemove = "subnet_manager.remove";
inline constexpr std::string_view kModuleWrite = "module.write";
inline constexpr std::string_view kModuleLoad = "module.load";
inline constexpr std::string_view kModuleSet = "module.set";
inline constexpr std::string_view kNetworkAdopt = "network.adopt";
inline constexpr std::string_view kNetworkWrite = "network.write";
inline constexpr std::string_view kNetworkActivate = "network.activate";
inline constexpr std::string_view kPackageInstall = "package.install";
inline constexpr std::string_view kQosWrite = "qos.write";
inline constexpr std::string_view kQosSet = "qos.set";
inline constexpr std::string_view kSettingsLoad = "settings.load";
inline constexpr std::string_view kSettingsRecord = "settings.record";
inline constexpr std::string_view kSettingsSet = "settings.set";
inline constexpr std::string_view kSriovWrite = "sriov.write";
inline constexpr std::string_view kSriovSet = "sriov.set";
inline constexpr std::string_view kSysctlWrite = "sysctl.write";
inline constexpr std::string_view kSysctlSet = "sysctl.set";

// Method of the providers of switches with NVUE: one revision each.
inline constexpr std::string_view kNvueApply = "nvue.apply";

// Method of the providers of MLNX-OS and Onyx: lines at the prompt.
inline constexpr std::string_view kOnyxConfigure = "onyx.configure";

// Methods of the providers of ESXi.
inline constexpr std::string_view kModuleOptions = "module.options";
inline constexpr std::string_view kModuleReload = "module.reload";
inline constexpr std::string_view kRecoveryEnter = "recovery.enter";
inline constexpr std::string_view kRecoveryLeave = "recovery.leave";
inline constexpr std::string_view kPassthroughSet = "passthrough.set";
inline constexpr std::string_view kVswitchSet = "vswitch.set";

// Method of the providers of ESX with a service console.
inline constexpr std::string_view kBundlesInstall = "bundles.install";

}  // namespace fabric::methods
