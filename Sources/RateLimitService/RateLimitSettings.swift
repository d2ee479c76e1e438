package import ServiceRuntime

/// What an operator can set of the rate-limit service.
package struct RateLimitSettings: Settings {
    /// Subjects whose charges are kept at once.
    package let ringsMax: Int
    /// Per cent of them that each kind of subject has.
    let shares: [LimitRoom: Int]
    /// The operator's file of limits, followed while the program runs.
    package let limitsFile: String?
    /// What is in it, or what holds without one.
    package let policies: LimitPolicies
    /// The applications that may have subjects forgotten.
    package let resetsFrom: [String]

    package init(reading settings: inout SettingsReader) {
        ringsMax = settings.integer(
            "subjects-max", default: 1_000_000, in: 1_000...20_000_000, unit: "subjects",
            reason: "Bounds memory, about 64 bytes each; a quarter more for known devices.")
        var shares: [LimitRoom: Int] = [:]
        for room in LimitRoom.allCases {
            shares[room] = settings.integer(
                room.setting, default: room.share, in: 1...98, unit: "per cent of subjects-max",
                reason: room.reason)
        }
        settings.require(
            shares.values.reduce(0, +) <= 100, LimitRoom.allCases.map(\.setting),
            "together they are 100 at most")
        self.shares = shares
        limitsFile = settings.optionalPath(
            "limits-file",
            reason: "Limits other than ours, .yaml or .json; read again when it changes (R-06). "
                + "What it can say: postern limits list --settings.")
        resetsFrom = settings.strings(
            "resets-from", default: ["tool"], unit: "application",
            reason: "Who may have a person's counts forgotten; no flow needs that.")
        let document = limitsFile.map { SettingsDocument<LimitOverrides>(path: $0) }
        policies = document?.values?.policies ?? .standard
        for mistake in document?.mistakes ?? [] {
            settings.require(false, ["limits-file"], mistake)
        }
    }

    /// Per cent of `subjects-max`.
    func share(_ room: LimitRoom) -> Int { shares[room] ?? room.share }
}

extension LimitRoom {
    fileprivate var setting: String {
        switch self {
        case .address: "subjects-share-address"
        case .account: "subjects-share-account"
        case .text: "subjects-share-text"
        }
    }

    /// Unless the operator says otherwise. Strangers' texts live longest, and accounts are few beside
    /// their devices' addresses.
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
        case .account: "Accounts by their own sessions and devices; no stranger fills it."
        case .text: "Emails and numbers that anybody can name; when full, new ones share cells."
        }
    }
}
