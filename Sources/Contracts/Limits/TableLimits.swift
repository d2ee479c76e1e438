extension LimitName {
    /// Emails and numbers without a state that one site names.
    package static let newSubjectsBySite = LimitName(35)
    /// The same for an application that asserts no addresses.
    package static let newSubjectsByApplication = LimitName(36)
    /// Not a limit but a mark: the account has signed in from this device (`TrustedLane`).
    package static let knownDevice = LimitName(20)
    /// Not a limit but a mark: the devices that the account knew before it are forgotten
    /// (`KnownDevices`).
    package static let devicesForgotten = LimitName(34)
    /// New marks of one account. Marks count for long, so one account may not make many
    /// (`KnownDevices`).
    package static let newDeviceByAccount = LimitName(21)
}

/// The limits on new subjects, which bound the limiter's table.
let capacityLimits: [LimitDefinition] = [
    // Against invented subjects of one site. A large office or a carrier's gateway has fewer users
    // who mistype their email.
    LimitDefinition(
        .newSubjectsBySite, "new-subjects-by-site", .rate(1_000, minutes: 60), of: .network,
        in: .address, isDurable: false, by: .limiter,
        filledBy: "emails and numbers that had no state, while their charge stays",
        refuses: "new ones from that site", abuse: "A, S: its own; T: fills the class `text`"),
    // The same for an application without addresses: sixteen times as many as
    // `unaddressed-by-application` allows. It stops only an application whose other limits the
    // operator has raised.
    LimitDefinition(
        .newSubjectsByApplication, "new-subjects-by-application", .rate(60_000, minutes: 60),
        of: .application, in: .address, isDurable: false, by: .limiter,
        filledBy: "the same", refuses: "new ones from that application",
        abuse: "any user of the application fills it"),
]

/// Marks of known devices, in a table of their own. Operators cannot change their numbers.
let deviceLimits: [LimitDefinition] = [
    LimitDefinition(
        .knownDevice, "known-device", .mark, of: .knownDevice, in: .account, isDurable: false,
        by: .limiterFixed,
        filledBy: "a success from it, which renews the mark", refuses: "nobody: a mark",
        abuse: "none: only a success sets it"),
    LimitDefinition(
        .devicesForgotten, "devices-forgotten", .mark, of: .owner, in: .account, isDurable: false,
        by: .limiterFixed,
        filledBy: "what may give the email or number another owner",
        refuses: "nobody: older marks no longer count", abuse: "none: only its owner causes it",
        wayIn: "as from an unknown device"),
    // The table of known devices, against one account's invented devices.
    LimitDefinition(
        .newDeviceByAccount, "new-device-by-account", .window(10, minutes: 24 * 60), of: .owner,
        in: .account, isDurable: false, by: .limiterFixed,
        filledBy: "devices that become known", refuses: "nobody: further devices stay unknown",
        abuse: "none: only its owner fills it", wayIn: "as from an unknown device"),
]

extension LimitRule {
    /// A mark: one charge, which counts as long as any may. That is the maximum age of a session.
    fileprivate static let mark = LimitRule.slidingWindow(count: 1, window: markMax)
}
