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
    /// Not a limit but a count: the established accounts that signed in from one site
    /// (`SharedSites`).
    package static let accountsBySite = LimitName(63)
    /// Not a limit but a mark: the account is in its site's count.
    package static let accountAtSite = LimitName(64)
    /// New marks of one account at sites.
    package static let newSiteByAccount = LimitName(65)
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

/// Marks of known devices, in the table of marks. Operators cannot change their numbers.
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

/// The sites that many people share, in the table of marks.
let siteLimits: [LimitDefinition] = [
    // How many established accounts make a site a shared one, and how long a sign-in counts for
    // that. Each is one of the twenty hashes that a site has.
    LimitDefinition(
        .accountsBySite, "accounts-by-site", .window(20, minutes: 30 * 24 * 60), of: .site,
        in: .address, isDurable: false, by: .limiter,
        filledBy: """
            accounts that signed in from there, a week old and with a verified email, a phone \
            number or a provider; each once
            """,
        refuses: "nothing: while it is full, `sign-up-by-shared-site` holds there",
        abuse: """
            A, S: with twenty such accounts of its own, which it created at three an hour a week \
            ago; T: the same at five more sites a day
            """),
    LimitDefinition(
        .accountAtSite, "account-at-site", .window(1, minutes: 30 * 24 * 60), of: .accountAtSite,
        in: .address, isDurable: false, by: .limiterFixed,
        filledBy: "the same; it counts for as long as `accounts-by-site` does",
        refuses: "nothing: a mark", abuse: "none: only a success sets it"),
    // The table of marks, and other sites, against one account that moves from one to the next.
    LimitDefinition(
        .newSiteByAccount, "new-site-by-account", .window(5, minutes: 24 * 60), of: .account,
        in: .address, isDurable: false, by: .limiterFixed,
        filledBy: "sites in whose count it becomes one",
        refuses: "nothing: at further sites it is not counted",
        abuse: "none: only its owner fills it"),
]

extension LimitRule {
    /// A mark: one charge, which counts as long as any may. That is the maximum age of a session.
    fileprivate static let mark = LimitRule.slidingWindow(count: 1, window: markMax)
}
