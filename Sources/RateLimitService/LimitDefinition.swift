/// What holds for one limit.
struct LimitDefinition: Sendable {
    /// In the store; never reused.
    let number: UInt16
    /// How much is allowed, unless the operator says otherwise.
    let rule: LimitRule
    /// What its subject is, and so what counts as one.
    let subject: LimitSubject
    /// What a person is told.
    let wording: LimitWording
    /// What its flow does when the limiter cannot be reached.
    let absence: LimiterAbsence
    /// Whether an answer waits until it is on disk, so that no crash lets anybody guess again.
    let isDurable: Bool

    fileprivate init(
        _ number: UInt16, _ rule: LimitRule, of subject: LimitSubject = .text,
        says wording: LimitWording = .attempt, absent absence: LimiterAbsence,
        isDurable: Bool = true
    ) {
        self.number = number
        self.rule = rule
        self.subject = subject
        self.wording = wording
        self.absence = absence
        self.isDurable = isDurable
    }
}

extension LimitName {
    /// The table of limits.
    var definition: LimitDefinition {
        switch self {
        case .failedSignInByDevice, .failedSignInByAddress, .failedSignInByAccount,
            .failedSignInByKnownDevice:
            failures
        case .failedProviderByDevice, .failedProviderByAddress, .failedProviderByAccount,
            .failedProviderByKnownDevice:
            providerFailures
        case .phoneCodeRequest, .phoneCodeByAddress, .phoneCodeByBlock, .phoneCodeByCountry,
            .phoneCodeGuess, .phoneCodeGuessByKnownDevice:
            codes
        case .signUpByAddress:
            .init(4, .ring(3, minutes: 60), of: .site, absent: .pass)
        case .signUpOnTakenEmail:
            .init(5, .ring(3, minutes: 60), of: .site, absent: .pass)
        case .unaddressedByApplication:
            .init(6, .ring(60, minutes: 1), absent: .pass, isDurable: false)
        case .verificationMailByAccount:
            .init(15, .ring(3, minutes: 60), says: .mail, absent: .pass)
        case .passwordResetByEmail:
            .init(16, .ring(3, minutes: 60), says: .mail, absent: .pass)
        case .profileUpdateByAccount:
            .init(17, .ring(10, minutes: 60), says: .change, absent: .pass, isDurable: false)
        // At most one hundredth of what raises the alarm is let through while it lasts.
        case .signInFailuresOverall:
            .init(18, .rate(500, minutes: 10), absent: .refuse, isDurable: false)
        case .signInWithoutHistory:
            .init(19, .ring(4, minutes: 10), absent: .refuse, isDurable: false)
        case .knownDevice:
            .init(
                20, .ring(count: 1, window: TrustedLane.knownFor), absent: .refuse,
                isDurable: false)
        case .newDeviceByAccount:
            .init(21, .ring(10, minutes: 24 * 60), absent: .refuse, isDurable: false)
        }
    }

    private var failures: LimitDefinition {
        switch self {
        case .failedSignInByDevice:
            .init(1, .ring(5, minutes: 15), of: .address, absent: .refuse)
        case .failedSignInByAddress:
            .init(2, .ring(50, minutes: 15), of: .address, absent: .refuse)
        case .failedSignInByKnownDevice: .init(7, .ring(5, minutes: 15), absent: .refuse)
        default: .init(3, .ring(5, minutes: 15), absent: .refuse)
        }
    }

    /// They pass without the limiter: a provider's signature cannot be guessed, however often.
    private var providerFailures: LimitDefinition {
        switch self {
        case .failedProviderByDevice:
            .init(8, .ring(5, minutes: 15), of: .address, absent: .pass)
        case .failedProviderByAddress:
            .init(9, .ring(50, minutes: 15), of: .address, absent: .pass)
        case .failedProviderByKnownDevice: .init(23, .ring(5, minutes: 15), absent: .pass)
        default: .init(22, .ring(5, minutes: 15), absent: .pass)
        }
    }

    private var codes: LimitDefinition {
        switch self {
        case .phoneCodeByAddress:
            .init(11, .ring(20, minutes: 60), of: .address, says: .code, absent: .refuse)
        case .phoneCodeByBlock:
            .init(12, .ring(30, minutes: 60), of: .phoneBlock, says: .code, absent: .refuse)
        case .phoneCodeByCountry:
            .init(13, .rate(1_000, minutes: 60), of: .phoneCountry, says: .code, absent: .refuse)
        case .phoneCodeGuess:
            .init(14, .guessesAtACode, says: .wrongCode, absent: .refuse)
        case .phoneCodeGuessByKnownDevice:
            .init(24, .guessesAtACode, says: .wrongCode, absent: .refuse)
        default:
            .init(10, .codesToAPhone, says: .code, absent: .refuse)
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

    /// five, then 15 minutes.
    fileprivate static let guessesAtACode = LimitRule.lock(
        attempts: 5, lockedFor: .seconds(900), failuresMax: 100)

    /// at once, then after 1, 5, 15 and 30 minutes; one rung down for a quiet day.
    fileprivate static let codesToAPhone = LimitRule.ladder(
        delays: [.zero, .seconds(60), .seconds(300), .seconds(900), .seconds(1_800)],
        quiet: .seconds(24 * 3_600), perDay: 10)
}
