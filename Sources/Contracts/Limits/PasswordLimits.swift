extension LimitName {
    /// Failed sign-ins from one device at one address.
    package static let failedSignInByDevice = LimitName(1)
    /// Failed sign-ins from one address; IPv6 by /64.
    package static let failedSignInByAddress = LimitName(2)
    /// Failed sign-ins from one IPv6 /48, which is what one customer has.
    package static let failedSignInBySite = LimitName(26)
    /// Failed sign-ins to one account from devices that it does not know. The subject is the email,
    /// before any look-up.
    package static let failedSignInByAccount = LimitName(3)
    /// Failed sign-ins in a row to one account from devices that it does not know (NIST SP
    /// 800-63B-4 §3.2.2). A success or a reset of the password starts the count over.
    package static let failedSignInInARow = LimitName(27)
    /// Failed sign-ins to one account from one device that it knows (`TrustedLane`).
    package static let failedSignInByKnownDevice = LimitName(7)
    /// Right passwords of one account: sign-ins, recent proofs, changes of the password. Each
    /// writes rows, and only who knows the password fills it.
    package static let signInByAccount = LimitName(46)
    /// The number of failed sign-ins in all, from devices that the accounts do not know, that
    /// raises the alarm (`CredentialStuffingDetector`). This limit refuses nothing.
    package static let signInFailuresOverall = LimitName(18)
    /// The attempts of one site (`SubjectSource`) that count towards the alarm. This limit refuses
    /// nothing.
    package static let signInFailuresBySite = LimitName(32)
    /// While the alarm is on: sign-ins in all from devices that the account does not know.
    package static let signInWithoutHistory = LimitName(19)
    /// While the alarm is on: those of one site.
    package static let signInWithoutHistoryBySite = LimitName(33)
    /// Failed sign-ins with a provider's token, from one device at one address.
    package static let failedProviderByDevice = LimitName(8)
    /// The same from one address.
    package static let failedProviderByAddress = LimitName(9)
    /// The same in an account's own session, from devices that the account does not know. During a
    /// sign-in only the identity service knows whose token it is.
    package static let failedProviderByAccount = LimitName(22)
    /// The same from one device that the account knows (`TrustedLane`).
    package static let failedProviderByKnownDevice = LimitName(23)
    /// Refused signatures by passkeys, from one address; IPv6 by /64.
    package static let failedPasskeyByAddress = LimitName(60)
}

/// The limits on guesses at passwords, on tokens of providers, which are in the same flows, and on
/// passkeys.
let passwordLimits: [LimitDefinition] = [
    // A password, against guesses from one device at one address.
    LimitDefinition(
        .failedSignInByDevice, "failed-sign-in-by-device", .window(5, minutes: 15),
        of: .deviceAtAddress, in: .address, isAboutGuessed: true,
        filledBy: "its failures", refuses: "that device at that address", abuse: "A: its own",
        wayIn: "another device"),
    // All passwords, against one household: IPv6 by /64.
    LimitDefinition(
        .failedSignInByAddress, "failed-sign-in-by-address", .window(50, minutes: 15), of: .address,
        in: .address,
        filledBy: "its failures", refuses: "that address", abuse: "A: its own",
        wayIn: "another network"),
    // All passwords, against one customer: IPv6 by /48. More than one household's limit, and the
    // maximum of a window, so that an operator's pattern for all failed sign-ins applies to it too.
    LimitDefinition(
        .failedSignInBySite, "failed-sign-in-by-site", .window(64, minutes: 15), of: .siteIPv6,
        in: .address,
        filledBy: "its failures", refuses: "that /48", abuse: "S: its own",
        wayIn: "another network"),
    // One account, against devices that it does not know.
    LimitDefinition(
        .failedSignInByAccount, "failed-sign-in-by-account", .window(5, minutes: 15), of: .email,
        in: .text, buckets: 16, isAboutGuessed: true,
        filledBy: "failures from unknown devices", refuses: "unknown devices for that email",
        abuse: "V: keeps it full", wayIn: "known device, provider, phone code, reset link"),
    // One account, against patient guesses from devices that it does not know.
    LimitDefinition(
        .failedSignInInARow, "failed-sign-in-in-a-row", .failuresInARow, of: .email, in: .text,
        says: .password, by: .limiter, isAboutGuessed: true,
        filledBy: "failures from unknown devices, without a success in between",
        refuses: "unknown devices for that email",
        abuse: """
            V: fills it after five hours, which replaces `failed-sign-in-by-account` and has no \
            further effect
            """,
        wayIn: """
            known device, provider, phone code, reset link; a sign-in from a known device or a \
            reset unlocks it
            """),
    // One account, against one device that it knows (`TrustedLane`).
    LimitDefinition(
        .failedSignInByKnownDevice, "failed-sign-in-by-known-device", .window(5, minutes: 15),
        of: .knownDevice, in: .account, by: .limiter, isAboutGuessed: true,
        filledBy: """
            failures from that device, and guesses without an answer until they are \
            [settled](#guesses-without-an-answer)
            """,
        refuses: "that device", abuse: "V: only with the device's id",
        wayIn: "another known device, provider, phone code, reset link"),
    // The store, against right passwords of one account: each is rows of three tables. Half of them
    // pass at once, which is more than a person has devices; then one in twelve minutes. Charged by
    // email, but a wrong password is given back, so what stays is of an account.
    LimitDefinition(
        .signInByAccount, "sign-in-by-account", .rate(240, minutes: 24 * 60), of: .email,
        in: .account, isDurable: false,
        filledBy: """
            right passwords: sign-ins, proofs, changes of the password; a wrong one is given back
            """,
        refuses: "all sign-ins with that email's password",
        abuse: """
            V: holds one only while its guess is compared, five at most \
            (`failed-sign-in-by-account`); who knows the password, and not the second proof, \
            20 an hour, 100 without a sign-in of the owner
            """,
        wayIn: "twelve minutes later, provider, phone code, reset link"),
    // All accounts, against credential stuffing: raises the alarm and refuses nothing.
    LimitDefinition(
        .signInFailuresOverall, "sign-in-failures-overall", .rate(500, minutes: 10), of: .all,
        in: .address, isDurable: false, by: .limiter,
        filledBy: "failures from unknown devices, 10 a site (`sign-in-failures-by-site`)",
        refuses: "nothing: it raises the alarm", abuse: "T: raises it; A, S: never"),
    // The alarm, against one site: at least fifty are needed to raise it. Refuses nothing.
    LimitDefinition(
        .signInFailuresBySite, "sign-in-failures-by-site", .window(10, minutes: 10), of: .network,
        in: .address, isDurable: false, by: .limiter,
        filledBy: "failures from unknown devices of that site",
        refuses: "nothing: what it has no place for is not counted towards the alarm",
        abuse: "S: its own"),
    // All accounts while the alarm is on: at most one hundredth of the attempts that raise it.
    LimitDefinition(
        .signInWithoutHistory, "sign-in-without-history", .window(4, minutes: 10), of: .all,
        in: .address, isDurable: false, by: .limiter,
        filledBy: "while the alarm is on, sign-ins from unknown devices; a success is refunded",
        refuses: "unknown devices", abuse: "T: uses it up; A, S: a quarter",
        wayIn: "known device, provider, phone code, reset link"),
    // The limit above, against one site: a quarter of it.
    LimitDefinition(
        .signInWithoutHistoryBySite, "sign-in-without-history-by-site", .window(1, minutes: 10),
        of: .network, in: .address, isDurable: false, by: .limiter,
        filledBy: "the same, of that site", refuses: "unknown devices of that site",
        abuse: "S: its own", wayIn: "the same"),
    // Against invalid tokens of providers from one device at one address.
    LimitDefinition(
        .failedProviderByDevice, "failed-provider-by-device", .window(5, minutes: 15),
        of: .deviceAtAddress, in: .address, isAboutGuessed: true,
        filledBy: "invalid tokens of providers from it",
        refuses: "tokens of providers from that device at that address", abuse: "A: its own",
        wayIn: "password, phone code"),
    // The same from one household.
    LimitDefinition(
        .failedProviderByAddress, "failed-provider-by-address", .window(50, minutes: 15),
        of: .address, in: .address,
        filledBy: "the same", refuses: "tokens of providers from that address",
        abuse: "A: its own", wayIn: "password, phone code"),
    // The same in an account's own session, from devices that it does not know.
    LimitDefinition(
        .failedProviderByAccount, "failed-provider-by-account", .window(5, minutes: 15),
        of: .account, in: .account, isAboutGuessed: true,
        filledBy: """
            invalid tokens in its own session, or as its second proof, from unknown devices
            """,
        refuses: "the same tokens, from unknown devices",
        abuse: "V: only after a right first proof", wayIn: "password, phone code"),
    // The same from one device that it knows.
    LimitDefinition(
        .failedProviderByKnownDevice, "failed-provider-by-known-device", .window(5, minutes: 15),
        of: .knownDevice, in: .account, by: .limiter, isAboutGuessed: true,
        filledBy: "the same, from that device",
        refuses: "tokens of providers in its sessions, from that device", abuse: "the same",
        wayIn: "password, phone code"),
    // Our verifications of passkeys, against one household: IPv6 by /64. A signature cannot be
    // guessed, so there is no limit by account, by which strangers could lock it.
    LimitDefinition(
        .failedPasskeyByAddress, "failed-passkey-by-address", .window(50, minutes: 15),
        of: .address, in: .address,
        filledBy: "refused signatures by passkeys", refuses: "passkeys from that address",
        abuse: "A: its own", wayIn: "any other method, another network"),
]

extension LimitRule {
    /// NIST SP 800-63B-4 §3.2.2: at most 100 in a row. Their rate is limited by the other limits.
    fileprivate static let failuresInARow = LimitRule.lockout(
        attempts: 100, lockedFor: .seconds(900), failuresMax: 100)
}
