import Contracts

// All limits, each with what it protects, how it counts (R-01 … R-03), how its subjects are
// canonicalised, whose capacity they use, and the sentence for the user. Operators override the
// numbers in their file. What a flow does when the rate limiter does not answer is decided
// in the gateway (`LimitedFlow`, R-07).

// Two aligned lines a limit, so that they can be compared.
// swift-format-ignore
private let limits: [LimitDefinition] = [
    // Passwords.

    // A password, against guesses from one device at one address.
    row(.failedSignInByDevice, window(5, minutes: 15),
        of: .address, in: .address),
    // All passwords, against one household: IPv6 by /64.
    row(.failedSignInByAddress, window(50, minutes: 15),
        of: .address, in: .address),
    // All passwords, against one customer: IPv6 by /48. More than one household's limit, and the
    // maximum of a window, so that an operator's pattern for all failed sign-ins applies to it too.
    row(.failedSignInBySite, window(64, minutes: 15),
        of: .site, in: .address),
    // One account, against devices that it does not know.
    row(.failedSignInByAccount, window(5, minutes: 15),
        of: .text, in: .text, buckets: 16),
    // One account, against one device that it knows (`TrustedLane`).
    row(.failedSignInByKnownDevice, window(5, minutes: 15),
        of: .text, in: .account, by: .limiter),
    // One account, against patient guesses from devices that it does not know.
    row(.failedSignInInARow, failuresInARow,
        of: .text, in: .text, says: .password, by: .limiter),
    // All accounts, against credential stuffing: raises the alarm and refuses nothing.
    row(.signInFailuresOverall, rate(500, minutes: 10),
        of: .text, in: .address, isDurable: false, by: .limiter),
    // The alarm, against one site: at least fifty are needed to raise it. Refuses nothing.
    row(.signInFailuresBySite, window(10, minutes: 10),
        of: .network, in: .address, isDurable: false, by: .limiter),
    // All accounts while the alarm is on: at most one hundredth of the attempts that raise it.
    row(.signInWithoutHistory, window(4, minutes: 10),
        of: .text, in: .address, isDurable: false, by: .limiter),
    // The limit above, against one site: a quarter of it.
    row(.signInWithoutHistoryBySite, window(1, minutes: 10),
        of: .network, in: .address, isDurable: false, by: .limiter),

    // The store, against right passwords of one account: each is rows of three tables. Half of them
    // pass at once, which is more than a person has devices; then one in twelve minutes. Charged by
    // email, but a wrong password is given back, so what stays is of an account.
    row(.signInByAccount, rate(240, minutes: 24 * 60),
        of: .text, in: .account, isDurable: false),

    // Tokens of providers.

    // Against invalid tokens from one device at one address.
    row(.failedProviderByDevice, window(5, minutes: 15),
        of: .address, in: .address),
    // The same from one household.
    row(.failedProviderByAddress, window(50, minutes: 15),
        of: .address, in: .address),
    // The same in an account's own session, from devices that it does not know.
    row(.failedProviderByAccount, window(5, minutes: 15),
        of: .text, in: .account),
    // The same from one device that it knows.
    row(.failedProviderByKnownDevice, window(5, minutes: 15),
        of: .text, in: .account, by: .limiter),

    // Codes to phones. Each message costs money.

    // A number's owner, against messages.
    row(.phoneCodeRequest, codesToAPhone,
        of: .text, in: .text, says: .code),
    // Our cost, against one customer's requests.
    row(.phoneCodeByAddress, window(20, minutes: 60),
        of: .site, in: .address, says: .code),
    // Our cost, against an owner of many neighbouring numbers.
    row(.phoneCodeByBlock, window(30, minutes: 60),
        of: .phoneBlock, in: .text, says: .code),
    // Our cost, against many requests to one country.
    row(.phoneCodeByCountry, rate(1_000, minutes: 60),
        of: .phoneCountry, in: .text, says: .code),
    // A code, against guesses from devices that the number does not know.
    row(.phoneCodeGuess, guessesAtACode,
        of: .text, in: .text, says: .wrongCode),
    // A code, against guesses from one device that the number knows.
    row(.phoneCodeGuessByKnownDevice, guessesAtACode,
        of: .text, in: .account, says: .wrongCode, by: .limiter),
    // A code of a number that is locked permanently: one guess. A code is valid for ten minutes at
    // most, so its one guess counts longer than the code.
    row(.phoneCodeFirstGuess, window(1, minutes: 60),
        of: .text, in: .text, says: .wrongCode, by: .limiter),
    // All codes, against one customer's guesses.
    row(.phoneCodeGuessByAddress, window(50, minutes: 15),
        of: .site, in: .address, says: .wrongCode),

    // Accounts, mails and changes.

    // Against accounts created by one customer.
    row(.signUpByAddress, window(3, minutes: 60),
        of: .site, in: .address),
    // The same for guests: an app creates one for each installation, and many users share one
    // address.
    row(.guestSignUpByAddress, window(30, minutes: 60),
        of: .site, in: .address),
    // The store, against accounts that many addresses create with one app's key, which is public.
    // More than any app gains in an hour; others can be given a higher limit.
    row(.newAccountByApp, rate(10_000, minutes: 60),
        of: .text, in: .address, isDurable: false),
    // An email's owner, against the mails that sign-ups of one customer cause.
    row(.signUpOnTakenEmail, window(3, minutes: 60),
        of: .site, in: .text),
    // An email's owner, against reset links.
    row(.passwordResetByEmail, window(3, minutes: 60),
        of: .text, in: .text, says: .mail, buckets: 17),
    // An email's owner, against links to the page that deletes an account.
    row(.deletionLinkByEmail, window(3, minutes: 60),
        of: .text, in: .text, says: .mail),
    // Against links requested by one customer. Six families behind one address may each forget a
    // password three times.
    row(.passwordResetByAddress, window(20, minutes: 60),
        of: .site, in: .address, says: .mail),
    // An email's owner, against verification mails that an account requests.
    row(.verificationMailByAccount, window(3, minutes: 60),
        of: .text, in: .text, says: .mail),
    // Other people, against mails of one child. Two parents, and one address that was mistyped.
    row(.parentalMailByAccount, window(3, minutes: 24 * 60),
        of: .text, in: .text, says: .mail),
    // An email's owner, against mails that strangers cause. Five an hour inform the owner. More
    // would add nothing and could hide those that the owner requests.
    row(.mailByTarget, window(5, minutes: 60),
        of: .text, in: .text, says: .mail),
    // The store, against one account's changes.
    row(.profileUpdateByAccount, window(10, minutes: 60),
        of: .text, in: .account, says: .change, isDurable: false),
    // The same, against one account's documents. An app that saves each screen or each change of a
    // setting writes less than once a second.
    row(.documentWriteByAccount, window(60, minutes: 1),
        of: .text, in: .account, says: .change, isDurable: false),
    // Identity's time, against one account's large documents, in units of `DocumentWork`: 16 KiB. A
    // merge into a document of the longest size has four, so one of these passes each second. All
    // that an account may have by default, 1 MiB, is written in 64.
    row(.documentWorkByAccount, rate(480, minutes: 1),
        of: .text, in: .account, says: .change, isDurable: false),
    // The store, against one account's bundles of 200 documents. An app sends one, at the sign-in.
    row(.guestBundleByAccount, window(5, minutes: 60),
        of: .text, in: .account, says: .change, isDurable: false),
    // All services' time, against one account's exports: each reads all that there is.
    row(.exportByAccount, window(3, minutes: 24 * 60),
        of: .text, in: .account, says: .change, isDurable: false),
    // An email's owner, against the mails of a session that requests and cancels in turns. Its own
    // limit: other mails may not delay a deletion.
    row(.deletionByAccount, window(3, minutes: 60),
        of: .text, in: .account),
    // Identity's time, against one household's checks of new passwords, and passwords sent with a
    // mailed link: one a second is more than a person types. None says anything about another
    // person's account, so the limit protects no secret.
    row(.passwordCheckByAddress, window(60, minutes: 1),
        of: .address, in: .address, isDurable: false),
    // Against an application that does not assert its users' addresses, so that it notices.
    row(.unaddressedByApplication, window(60, minutes: 1),
        of: .text, in: .address, isDurable: false),

    // Known devices: marks, of which operators cannot change the numbers.

    // Not a limit: the account has signed in from this device.
    row(.knownDevice, mark,
        of: .text, in: .account, isDurable: false, by: .limiterFixed),
    // Not a limit: the account's earlier devices are forgotten.
    row(.devicesForgotten, mark,
        of: .text, in: .account, isDurable: false, by: .limiterFixed),
    // The table of known devices, against one account's invented devices.
    row(.newDeviceByAccount, window(10, minutes: 24 * 60),
        of: .text, in: .account, isDurable: false, by: .limiterFixed),

    // The capacity of the table.

    // Against invented subjects of one site. A large office or a carrier's gateway has fewer users
    // who mistype their email.
    row(.newSubjectsBySite, rate(1_000, minutes: 60),
        of: .network, in: .address, isDurable: false, by: .limiter),
    // The same for an application without addresses: sixteen times as many as `unaddressed-by-
    // application` allows. It stops only an application whose other limits the operator has raised.
    row(.newSubjectsByApplication, rate(60_000, minutes: 60),
        of: .text, in: .address, isDurable: false, by: .limiter),
]

private func row(
    _ limit: LimitName, _ rule: LimitRule, of subject: LimitSubject, in capacity: CapacityClass,
    says wording: LimitWording = .attempt, isDurable: Bool = true, buckets bucketBits: Int = 10,
    by charger: LimitDefinition.Charger = .flow
) -> LimitDefinition {
    LimitDefinition(
        limit: limit, rule: rule, subject: subject, capacity: capacity, wording: wording,
        isDurable: isDurable, bucketBits: bucketBits, charger: charger)
}

private func window(_ count: Int, minutes: Int) -> LimitRule {
    .slidingWindow(count: count, window: .seconds(minutes * 60))
}

private func rate(_ count: Int, minutes: Int) -> LimitRule {
    .gcra(count: count, window: .seconds(minutes * 60))
}

/// five guesses, then 15 minutes.
private let guessesAtACode = LimitRule.lockout(
    attempts: 5, lockedFor: .seconds(900), failuresMax: 100)

/// NIST SP 800-63B-4 §3.2.2: at most 100 in a row. Their rate is limited by the other limits.
private let failuresInARow = LimitRule.lockout(
    attempts: 100, lockedFor: .seconds(900), failuresMax: 100)

/// at once, then after 1, 5, 15 and 30 minutes; one step down for each quiet day.
private let codesToAPhone = LimitRule.escalatingDelay(
    delays: [.zero, .seconds(60), .seconds(300), .seconds(900), .seconds(1_800)],
    quiet: .seconds(24 * 3_600), perDay: 10)

private let mark = LimitRule.slidingWindow(count: 1, window: TrustedLane.knownFor)

extension LimitName {
    /// The limit's properties. Each call reads them several times, so they are indexed once.
    var definition: LimitDefinition { Self.definitions[Int(number)] }

    private static let definitions: [LimitDefinition] = {
        precondition(Set(limits.map(\.limit)).count == allCases.count, "a row for each limit")
        var definitions = [LimitDefinition](repeating: limits[0], count: numberEnd)
        for row in limits { definitions[Int(row.limit.number)] = row }
        return definitions
    }()
}
