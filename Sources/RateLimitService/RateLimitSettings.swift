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
    /// The file's policies, or the standard ones without a file.
    package let policies: LimitPolicies
    /// The applications that may delete subjects' states.
    package let resetsFrom: [String]

    package init(reading settings: inout SettingsReader) {
        subjectsMax = settings.integer(
            "subjects-max", default: 1_000_000, in: 1_000...20_000_000, unit: "subjects",
            reason: "Bounds memory, about 64 bytes each; a quarter more for known devices.")
        var shares: [CapacityClass: Int] = [:]
        for capacity in CapacityClass.allCases {
            shares[capacity] = settings.integer(
                capacity.setting, default: capacity.share, in: 1...98,
                unit: "per cent of subjects-max",
                reason: capacity.reason)
        }
        settings.require(
            shares.values.reduce(0, +) <= 100, CapacityClass.allCases.map(\.setting),
            "their sum must be at most 100")
        self.shares = shares
        limitsFile = settings.optionalPath(
            "limits-file",
            reason: "Overrides of limits, .yaml or .json; reloaded when it changes (R-06). "
                + "For its settings see: postern limits list --settings.")
        resetsFrom = settings.strings(
            "resets-from", default: ["tool"], unit: "application",
            reason: "Applications that may reset a user's counts; no flow needs this.")
        let document = limitsFile.map { SettingsDocument<LimitOverrides>(path: $0) }
        policies = document?.values?.policies ?? .standard
        for mistake in document?.problems ?? [] {
            settings.require(false, ["limits-file"], mistake)
        }
    }

    /// Per cent of `subjects-max`.
    func share(_ capacity: CapacityClass) -> Int { shares[capacity] ?? capacity.share }
}

extension CapacityClass {
    fileprivate var setting: String {
        switch self {
        case .address: "subjects-share-address"
        case .account: "subjects-share-account"
        case .text: "subjects-share-text"
        }
    }

    /// The default. Subjects that strangers can name count for longest, and there are few accounts
    /// compared with their devices' addresses.
    fileprivate var share: Int {
        switch self {
        case .address: 40
        case .account: 20
        case .text: 40
        }
    }

    fileprivate var reason: String {
        switch self {
        case .address: "Addresses and applications; when it is full, new ones share cells."
        case .account: "Accounts by their own sessions and devices; strangers cannot fill it."
        case .text: "Emails and numbers that anybody can name; when full, new ones share cells."
        }
    }
}
