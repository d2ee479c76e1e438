extension LimitName {
    /// Codes to one phone number: escalating delays, and ten a day.
    package static let phoneCodeRequest = LimitName(10)
    /// Codes requested from one address, to any numbers; IPv6 by /48.
    package static let phoneCodeByAddress = LimitName(11)
    /// Codes to one block of a thousand numbers. Attack ("pumping"): somebody who is paid for
    /// received messages rents numbers by the block.
    package static let phoneCodeByBlock = LimitName(12)
    /// Codes to one country, or to one area of the North American plan.
    package static let phoneCodeByCountry = LimitName(13)
    /// Wrong codes for one phone number, from devices that it does not know.
    package static let phoneCodeGuess = LimitName(14)
    /// The first guess at each new code, once `phone-code-guess` is permanently locked for the
    /// number.
    package static let phoneCodeFirstGuess = LimitName(28)
    /// Wrong codes for one phone number from one device that it knows (`TrustedLane`).
    package static let phoneCodeGuessByKnownDevice = LimitName(24)
    /// Guesses from one address that were not right, at any codes; IPv6 by /48.
    package static let phoneCodeGuessByAddress = LimitName(29)
}

/// The limits on codes to phones. Each message costs money.
let phoneLimits: [LimitDefinition] = [
    // A number's owner, against messages.
    LimitDefinition(
        .phoneCodeRequest, "phone-code-request", .codesToAPhone, of: .phoneNumber, in: .text,
        says: .code,
        filledBy: "messages sent to it", refuses: "messages to that number",
        abuse: "V: uses up the day, each time with a message to the owner",
        wayIn: "known device's session, provider, password, next day"),
    // Our cost, against one customer's requests.
    LimitDefinition(
        .phoneCodeByAddress, "phone-code-by-address", .window(20, minutes: 60), of: .site,
        in: .address, says: .code,
        filledBy: "messages requested", refuses: "that address", abuse: "A, S: its own",
        wayIn: "another network"),
    // Our cost, against an owner of many neighbouring numbers.
    LimitDefinition(
        .phoneCodeByBlock, "phone-code-by-block", .window(30, minutes: 60), of: .phoneBlock,
        in: .text, says: .code,
        filledBy: "messages sent there", refuses: "messages to that block",
        abuse: "A, S: 20 of 30; T: uses it up", wayIn: "provider, password"),
    // Our cost, against many requests to one country.
    LimitDefinition(
        .phoneCodeByCountry, "phone-code-by-country", .rate(1_000, minutes: 60), of: .phoneCountry,
        in: .text, says: .code,
        filledBy: "messages sent there", refuses: "messages to that country",
        abuse: "A, S: 20; T: uses it up", wayIn: "provider, password"),
    // A code, against guesses from devices that the number does not know.
    LimitDefinition(
        .phoneCodeGuess, "phone-code-guess", .guessesAtACode, of: .phoneNumber, in: .text,
        says: .wrongCode, isAboutGuessed: true,
        filledBy: "wrong guesses at a *live* code of it, right ones until their second proof",
        refuses: "unknown devices for that number",
        abuse: "V: 5 for each message that `phone-code-request` allows",
        wayIn: """
            known device; after 15 min; once permanently locked, the first guess at a new code
            """),
    // A code of a number that is locked permanently: one guess. A code is valid for ten minutes at
    // most, so its one guess counts longer than the code.
    LimitDefinition(
        .phoneCodeFirstGuess, "phone-code-first-guess", .window(1, minutes: 60), of: .codeRequest,
        in: .text, says: .wrongCode, by: .limiter, isAboutGuessed: true,
        filledBy: "once the number is permanently locked, the guess at its code",
        refuses: "that request", abuse: "V: that of the attacker's own request",
        wayIn: "the next code"),
    // A code, against guesses from one device that the number knows.
    LimitDefinition(
        .phoneCodeGuessByKnownDevice, "phone-code-guess-by-known-device", .guessesAtACode,
        of: .knownDevice, in: .account, says: .wrongCode, by: .limiter, isAboutGuessed: true,
        filledBy: "wrong guesses from it", refuses: "that device",
        abuse: "V: only with the device's id", wayIn: "another method"),
    // All codes, against one customer's guesses.
    LimitDefinition(
        .phoneCodeGuessByAddress, "phone-code-guess-by-address", .window(50, minutes: 15),
        of: .site, in: .address, says: .wrongCode,
        filledBy: """
            guesses that were wrong or too late, or right and waiting for a second proof \
            (`auth/second-proof-required`), for any number and request
            """,
        refuses: "that address", abuse: "A, S: its own", wayIn: "another network"),
]

extension LimitRule {
    /// at once, then after 1, 5, 15 and 30 minutes; one step down for each quiet day.
    fileprivate static let codesToAPhone = LimitRule.escalatingDelay(
        delays: [.zero, .seconds(60), .seconds(300), .seconds(900), .seconds(1_800)],
        quiet: .seconds(24 * 3_600), perDay: 10)

    /// five guesses, then 15 minutes.
    fileprivate static let guessesAtACode = LimitRule.lockout(
        attempts: 5, lockedFor: .seconds(900), failuresMax: 100)
}
