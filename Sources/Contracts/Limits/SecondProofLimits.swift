extension LimitName {
    /// Wrong second proofs of sign-ins, of all kinds, from one address; IPv6 by /64.
    package static let secondProofByAddress = LimitName(49)
    /// Codes that are sent for the second proofs of one account.
    package static let challengeCodeByAccount = LimitName(50)
    /// Wrong codes from mails, as second proofs of one account.
    package static let mailedCodeGuess = LimitName(51)
    /// Wrong codes of authenticator apps of one account, after one kind of first proof, from devices
    /// that it does not know.
    package static let totpGuess = LimitName(52)
    /// The same from one device that it knows (`TrustedLane`).
    package static let totpGuessByKnownDevice = LimitName(53)
}

/// The first proof after which codes of authenticator apps are guessed at. Each has its own count.
///
/// Attack: a thief of the password guesses until the count is full, and the owner's codes are refused
/// too. The owner gives another first proof, such as a reset, which the thief cannot give.
package enum TOTPLane: String, CaseIterable, Sendable {
    /// The account's password.
    case password
    /// A mailed link, by which a new password is set.
    case resetLink = "reset-link"
    /// A code to the account's phone.
    case phone
    /// A token of any provider.
    case provider
    /// A live session of the account.
    case session

    /// What its guesses are counted under.
    package func subject(of account: String) -> String { "\(account)|\(rawValue)" }
}

/// The limits on second proofs of sign-ins (F-03). Only who has given a first proof charges them.
/// Passwords, tokens of providers and codes to phones are charged to their own limits too.
let secondProofLimits: [LimitDefinition] = [
    // All second proofs, against one household: IPv6 by /64.
    LimitDefinition(
        .secondProofByAddress, "second-proof-by-address", .window(50, minutes: 15), of: .address,
        in: .address,
        filledBy: "wrong second proofs of sign-ins, of all kinds", refuses: "that address",
        abuse: "A: its own, after a right first proof each time", wayIn: "another network"),
    // An owner's inbox and phone, and our cost, against a thief of the first proof.
    LimitDefinition(
        .challengeCodeByAccount, "challenge-code-by-account", .window(5, minutes: 60),
        of: .account, in: .account, says: .code,
        filledBy: "codes sent for second proofs of its sign-ins",
        refuses: "more such codes of that account",
        abuse: "V: only after a right first proof, each time with a message to the owner",
        wayIn: "another kind of second proof; after an hour"),
    // A mailed code, against guesses by a thief of the first proof.
    LimitDefinition(
        .mailedCodeGuess, "mailed-code-guess", .guessesAtSecondProofs, of: .account, in: .account,
        says: .wrongCode, isAboutGuessed: true,
        filledBy: "wrong mailed codes, as second proofs of its sign-ins",
        refuses: "mailed codes as second proofs of that account",
        abuse: "V: only after a right first proof",
        wayIn: "another kind of second proof, or another first proof"),
    // A code of an authenticator app, against guesses from devices that the account does not know.
    LimitDefinition(
        .totpGuess, "totp-guess", .guessesAtSecondProofs, of: .accountAndProof, in: .account,
        says: .wrongCode, isAboutGuessed: true,
        filledBy: """
            wrong codes of authenticator apps from unknown devices, after that first proof, and \
            guesses without an answer
            """,
        refuses: "unknown devices for codes after that first proof",
        abuse: "V: only after that first proof",
        wayIn: """
            known device, recovery code, another first proof, such as a reset, which starts all of \
            them over
            """),
    // The same from one device that it knows (`TrustedLane`).
    LimitDefinition(
        .totpGuessByKnownDevice, "totp-guess-by-known-device", .guessesAtSecondProofs,
        of: .knownDevice, in: .account, says: .wrongCode, by: .limiter, isAboutGuessed: true,
        filledBy: "the same, from that device", refuses: "that device",
        abuse: "V: only with the device's id, after that first proof",
        wayIn: "recovery code, another known device, another first proof"),
]

extension LimitRule {
    /// As for codes to phones: five guesses, then 15 minutes; 100 in all.
    fileprivate static let guessesAtSecondProofs = LimitRule.lockout(
        attempts: 5, lockedFor: .seconds(900), failuresMax: 100)
}
