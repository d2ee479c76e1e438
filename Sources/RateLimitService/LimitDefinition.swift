import Contracts

/// The properties of one limit.
struct LimitDefinition: Sendable {
    /// How much is allowed, unless the operator overrides it.
    let rule: LimitRule
    /// How its subject is canonicalised.
    let subject: LimitSubject
    /// The sentence that a limited user gets.
    let wording: LimitWording
    /// What its flow does when the rate limiter does not answer.
    let absence: LimiterAbsence
    /// Whether a response waits until the charge is on disk, so that a crash allows no further
    /// guesses.
    let isDurable: Bool

    fileprivate init(
        _ rule: LimitRule, of subject: LimitSubject = .text,
        says wording: LimitWording = .attempt, absent absence: LimiterAbsence,
        isDurable: Bool = true
    ) {
        self.rule = rule
        self.subject = subject
        self.wording = wording
        self.absence = absence
        self.isDurable = isDurable
    }
}

extension LimitName {
    /// Its number in the store; never reused. It is also its index in the tables in memory.
    package var number: UInt16 {
        switch self {
        case .failedSignInByDevice: 1
        case .failedSignInByAddress: 2
        case .failedSignInByAccount: 3
        case .signUpByAddress: 4
        case .signUpOnTakenEmail: 5
        case .unaddressedByApplication: 6
        case .failedSignInByKnownDevice: 7
        case .failedProviderByDevice: 8
        case .failedProviderByAddress: 9
        case .phoneCodeRequest: 10
        case .phoneCodeByAddress: 11
        case .phoneCodeByBlock: 12
        case .phoneCodeByCountry: 13
        case .phoneCodeGuess: 14
        case .verificationMailByAccount: 15
        case .passwordResetByEmail: 16
        case .profileUpdateByAccount: 17
        case .signInFailuresOverall: 18
        case .signInWithoutHistory: 19
        case .knownDevice: 20
        case .newDeviceByAccount: 21
        case .failedProviderByAccount: 22
        case .failedProviderByKnownDevice: 23
        case .phoneCodeGuessByKnownDevice: 24
        case .guestSignUpByAddress: 25
        case .failedSignInBySite: 26
        case .failedSignInInARow: 27
        case .phoneCodeFirstGuess: 28
        case .phoneCodeGuessByAddress: 29
        case .passwordResetByAddress: 30
        case .mailByTarget: 31
        case .signInFailuresBySite: 32
        case .signInWithoutHistoryBySite: 33
        case .devicesForgotten: 34
        case .newSubjectsBySite: 35
        case .newSubjectsByApplication: 36
        }
    }

    /// The limit's properties. Each call reads them several times, so they are created once.
    var definition: LimitDefinition { Self.definitions[Int(number)] }

    private static let definitions: [LimitDefinition] = {
        // No limit has the number 0.
        var definitions = [LimitDefinition](
            repeating: LimitName.failedSignInByDevice.written, count: allCases.count + 1)
        for limit in allCases { definitions[Int(limit.number)] = limit.written }
        return definitions
    }()

    /// The table of limits.
    private var written: LimitDefinition {
        switch self {
        case .failedSignInByDevice, .failedSignInByAddress, .failedSignInBySite,
            .failedSignInByAccount, .failedSignInByKnownDevice, .failedSignInInARow:
            failures
        case .failedProviderByDevice, .failedProviderByAddress, .failedProviderByAccount,
            .failedProviderByKnownDevice:
            providerFailures
        case .phoneCodeRequest, .phoneCodeByAddress, .phoneCodeByBlock, .phoneCodeByCountry,
            .phoneCodeGuess, .phoneCodeGuessByKnownDevice, .phoneCodeFirstGuess,
            .phoneCodeGuessByAddress:
            codes
        case .signInFailuresOverall, .signInFailuresBySite, .signInWithoutHistory,
            .signInWithoutHistoryBySite:
            alarm
        case .newSubjectsBySite, .newSubjectsByApplication: newSubjects
        case .signUpByAddress:
            .init(.ring(3, minutes: 60), of: .site, absent: .pass)
        // An app creates one for each installation, and many users share one address.
        case .guestSignUpByAddress:
            .init(.ring(30, minutes: 60), of: .site, absent: .pass)
        case .signUpOnTakenEmail:
            .init(.ring(3, minutes: 60), of: .site, absent: .pass)
        case .unaddressedByApplication:
            .init(.ring(60, minutes: 1), absent: .pass, isDurable: false)
        case .verificationMailByAccount:
            .init(.ring(3, minutes: 60), says: .mail, absent: .pass)
        case .passwordResetByEmail:
            .init(.ring(3, minutes: 60), says: .mail, absent: .pass)
        // Six families behind one address may each forget a password three times.
        case .passwordResetByAddress:
            .init(.ring(20, minutes: 60), of: .site, says: .mail, absent: .pass)
        // Five mails an hour inform the owner of an email. More mails would add nothing and could
        // hide those that the owner requests.
        case .mailByTarget:
            .init(.ring(5, minutes: 60), says: .mail, absent: .pass)
        case .profileUpdateByAccount:
            .init(.ring(10, minutes: 60), says: .change, absent: .pass, isDurable: false)
        case .knownDevice, .devicesForgotten:
            .init(.ring(count: 1, window: TrustedLane.knownFor), absent: .refuse, isDurable: false)
        case .newDeviceByAccount:
            .init(.ring(10, minutes: 24 * 60), absent: .refuse, isDurable: false)
        }
    }

    private var alarm: LimitDefinition {
        switch self {
        // At least fifty sites are needed to raise the alarm.
        case .signInFailuresBySite:
            .init(.ring(10, minutes: 10), of: .network, absent: .refuse, isDurable: false)
        // While the alarm is on, at most one hundredth of the attempts that raise it is allowed,
        // and no site gets more than a quarter of that.
        case .signInWithoutHistory:
            .init(.ring(4, minutes: 10), absent: .refuse, isDurable: false)
        case .signInWithoutHistoryBySite:
            .init(.ring(1, minutes: 10), of: .network, absent: .refuse, isDurable: false)
        default:
            .init(.rate(500, minutes: 10), absent: .refuse, isDurable: false)
        }
    }

    private var newSubjects: LimitDefinition {
        switch self {
        // A large office or a carrier's gateway has fewer users who mistype their email.
        case .newSubjectsBySite:
            .init(.rate(1_000, minutes: 60), of: .network, absent: .pass, isDurable: false)
        // Sixteen times as many as `unaddressed-by-application` allows. It stops only an
        // application whose other limits the operator has raised.
        default:
            .init(.rate(60_000, minutes: 60), absent: .pass, isDurable: false)
        }
    }

    private var failures: LimitDefinition {
        switch self {
        case .failedSignInByDevice:
            .init(.ring(5, minutes: 15), of: .address, absent: .refuse)
        case .failedSignInByAddress:
            .init(.ring(50, minutes: 15), of: .address, absent: .refuse)
        // More than one household's limit, and the maximum of a ring, so that an operator's pattern
        // for all failed sign-ins applies to it too.
        case .failedSignInBySite:
            .init(.ring(64, minutes: 15), of: .site, absent: .refuse)
        case .failedSignInByKnownDevice: .init(.ring(5, minutes: 15), absent: .refuse)
        case .failedSignInInARow:
            .init(.failuresInARow, says: .password, absent: .refuse)
        default: .init(.ring(5, minutes: 15), absent: .refuse)
        }
    }

    /// Without the rate limiter these flows proceed: a provider's signature cannot be guessed, in
    /// any number of attempts.
    private var providerFailures: LimitDefinition {
        switch self {
        case .failedProviderByDevice:
            .init(.ring(5, minutes: 15), of: .address, absent: .pass)
        case .failedProviderByAddress:
            .init(.ring(50, minutes: 15), of: .address, absent: .pass)
        case .failedProviderByKnownDevice: .init(.ring(5, minutes: 15), absent: .pass)
        default: .init(.ring(5, minutes: 15), absent: .pass)
        }
    }

    private var codes: LimitDefinition {
        switch self {
        case .phoneCodeByAddress:
            .init(.ring(20, minutes: 60), of: .site, says: .code, absent: .refuse)
        case .phoneCodeByBlock:
            .init(.ring(30, minutes: 60), of: .phoneBlock, says: .code, absent: .refuse)
        case .phoneCodeByCountry:
            .init(.rate(1_000, minutes: 60), of: .phoneCountry, says: .code, absent: .refuse)
        case .phoneCodeGuess:
            .init(.guessesAtACode, says: .wrongCode, absent: .refuse)
        case .phoneCodeGuessByKnownDevice:
            .init(.guessesAtACode, says: .wrongCode, absent: .refuse)
        // A code is valid for ten minutes at most, so its one guess is kept longer than the code.
        case .phoneCodeFirstGuess:
            .init(.ring(1, minutes: 60), says: .wrongCode, absent: .refuse)
        case .phoneCodeGuessByAddress:
            .init(.ring(50, minutes: 15), of: .site, says: .wrongCode, absent: .refuse)
        default:
            .init(.codesToAPhone, says: .code, absent: .refuse)
        }
    }
}

extension LimitRule {
    fileprivate static func ring(_ count: Int, minutes: Int) -> LimitRule {
        .ring(count: count, window: .seconds(minutes * 60))
    }

    fileprivate static func rate(_ count: Int, minutes: Int) -> LimitRule {
        .rate(count: count, window: .seconds(minutes * 60))
    }

    /// five guesses, then 15 minutes.
    fileprivate static let guessesAtACode = LimitRule.lock(
        attempts: 5, lockedFor: .seconds(900), failuresMax: 100)

    /// NIST SP 800-63B-4 §3.2.2: at most 100 in a row. Their rate is limited by the other limits.
    fileprivate static let failuresInARow = LimitRule.lock(
        attempts: 100, lockedFor: .seconds(900), failuresMax: 100)

    /// at once, then after 1, 5, 15 and 30 minutes; one step down for each quiet day.
    fileprivate static let codesToAPhone = LimitRule.ladder(
        delays: [.zero, .seconds(60), .seconds(300), .seconds(900), .seconds(1_800)],
        quiet: .seconds(24 * 3_600), perDay: 10)
}
