import Contracts
package import ServiceRuntime

/// The operator's settings of the rate-limit service.
package struct RateLimitSettings: Settings {
    /// The largest number of subjects with a state of their own.
    package let subjectsMax: Int
    /// Per cent of them for each class of subjects.
    let shares: [CapacityClass: Int]
    /// The operator's file of limits, watched while the program runs.
    package let limitsFile: String?
    /// The file as it was read; nil without one.
    let limits: SettingsDocument<LimitOverrides>?
    /// The file's policies, or the standard ones without a file.
    package let policies: LimitPolicies
    /// The applications that may delete subjects' states.
    package let resetsFrom: [String]

    package init(reading settings: inout SettingsReader) {
        subjectsMax = settings.integer(
            "subjects-max", default: 1_000_000, in: 1_000...20_000_000, unit: "subjects",
            reason: "Bounds memory, about 64 bytes each; a quarter more for known devices.")
        // Subjects that strangers can name count for longest, and there are few accounts compared
        // with their devices' addresses.
        shares = [
            .address: Self.share(
                &settings, "address", 40,
                "Addresses and applications; when it is full, new ones share buckets."),
            .account: Self.share(
                &settings, "account", 20,
                "Accounts by their own sessions and devices; strangers cannot fill it."),
            .text: Self.share(
                &settings, "text", 40,
                "Emails and numbers that anybody can name; when full, new ones share buckets."),
        ]
        settings.require(
            shares.values.reduce(0, +) <= 100,
            ["subjects-share-address", "subjects-share-account", "subjects-share-text"],
            "their sum must be at most 100")
        limitsFile = settings.optionalPath(
            "limits-file",
            reason: "Overrides of limits, .yaml or .json; reloaded when it changes (R-06). "
                + "For its settings see: postern limits list --settings.")
        resetsFrom = settings.strings(
            "resets-from", default: ["tool"], unit: "application",
            reason: "Applications that may reset a user's counts; no flow needs this.")
        limits = limitsFile.map { SettingsDocument(path: $0) }
        policies = limits?.values?.policies ?? .standard
        for error in limits?.problems ?? [] {
            settings.require(false, ["limits-file"], error)
        }
    }

    private static func share(
        _ settings: inout SettingsReader, _ name: String, _ standard: Int, _ reason: String
    ) -> Int {
        settings.integer(
            "subjects-share-\(name)", default: standard, in: 1...98,
            unit: "per cent of subjects-max", reason: reason)
    }

    /// Per cent of `subjects-max`.
    func share(_ capacity: CapacityClass) -> Int { shares[capacity, default: 0] }
}
