import Contracts
package import ServiceRuntime

/// The operator's settings of the rate-limit service.
package struct RateLimitSettings: Settings {
    /// The largest number of subjects with a state of their own.
    package var subjectsMax = 1_000_000
    /// Per cent of them for each class of subjects. Subjects that strangers can name count for
    /// longest, and there are few accounts compared with their devices' addresses.
    var shares: [CapacityClass: Int] = [.address: 40, .account: 20, .text: 40]
    /// The operator's file of limits, watched while the program runs.
    package var limitsFile: String?
    /// The file as it was read; nil without one.
    var limits: SettingsDocument<LimitOverrides>?
    /// The file's policies, or the standard ones without a file.
    package var policies: LimitPolicies { limits?.values?.policies ?? .standard }
    /// The applications that may delete subjects' states.
    package var resetsFrom = ["tool"]

    package init(reading settings: inout SettingsReader) {
        settings.integer(
            "subjects-max", &subjectsMax, in: 1_000...20_000_000, unit: "subjects",
            reason: "Bounds memory, about 64 bytes each; half more for known devices and sites.")
        readShare(
            &settings, .address, "address",
            "Addresses and applications; when it is full, new ones share buckets.")
        readShare(
            &settings, .account, "account",
            "Accounts by their own sessions and devices; strangers cannot fill it.")
        readShare(
            &settings, .text, "text",
            "Emails and numbers that anybody can name; when full, new ones share buckets.")
        settings.require(
            shares.values.reduce(0, +) <= 100,
            ["subjects-share-address", "subjects-share-account", "subjects-share-text"],
            "their sum must be at most 100")
        limitsFile = settings.optionalPath(
            "limits-file",
            reason: "Overrides of limits, .yaml or .json; reloaded when it changes (R-06). "
                + "For its settings see: postern limits list --settings.")
        settings.strings(
            "resets-from", &resetsFrom, unit: "application",
            reason: "Applications that may reset a user's counts; no flow needs this.")
        limits = limitsFile.map { SettingsDocument(path: $0) }
        for error in limits?.problems ?? [] {
            settings.require(false, ["limits-file"], error)
        }
    }

    private mutating func readShare(
        _ settings: inout SettingsReader, _ capacity: CapacityClass, _ name: String,
        _ reason: String
    ) {
        settings.integer(
            "subjects-share-\(name)", &shares[capacity, default: 0], in: 1...98,
            unit: "per cent of subjects-max", reason: reason)
    }

    /// Per cent of `subjects-max`.
    func share(_ capacity: CapacityClass) -> Int { shares[capacity, default: 0] }
}
