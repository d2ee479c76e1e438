import Glibc

/// Every limit there is (R-01 … R-03): its name on the wire and in the operator's file.
///
/// To add one:
/// 1. a case here, with whom it is about, and its row in `LimitDefinition.swift` (number, rule,
///    subject, sentence, what its flow does without the limiter);
/// 2. its room (`LimitRoom.swift`), and its row in `README.md`: what fills it, who pays;
/// 3. the flow that charges it: `GatewayService/Limits/LimitedAction.swift`;
/// 4. its row in `LimitNameTests`, and in `LimitedActionTests` where the gateway charges it.
///
/// Settings for the operator's file, metrics, audit and the proofs of the tests follow by
/// themselves. Numbers are never reused, since what is on disk bears them.
package enum LimitName: String, CaseIterable, Sendable {
    /// Failed sign-ins from one device at one address.
    case failedSignInByDevice = "failed-sign-in-by-device"
    /// Failed sign-ins from one address; IPv6 by /64.
    case failedSignInByAddress = "failed-sign-in-by-address"
    /// Failed sign-ins from one IPv6 /48, which is what one customer is given.
    case failedSignInBySite = "failed-sign-in-by-site"
    /// Failed sign-ins on one account, from devices that it is not known by; keyed on the email,
    /// before any look-up.
    case failedSignInByAccount = "failed-sign-in-by-account"
    /// Failed sign-ins on one account from one device that it is known by (`TrustedLane`).
    case failedSignInByKnownDevice = "failed-sign-in-by-known-device"
    /// Failed sign-ins in a row on one account, from devices that it is not known by (NIST SP
    /// 800-63B-4 §3.2.2). A success or a reset of the password begins the count again.
    case failedSignInInARow = "failed-sign-in-in-a-row"
    /// Sign-ins that failed to prove themselves at a provider, from one device at one address.
    case failedProviderByDevice = "failed-provider-by-device"
    /// The same from one address.
    case failedProviderByAddress = "failed-provider-by-address"
    /// The same on one account whose own session asks, from devices that it is not known by: while
    /// somebody signs in, nobody but identity knows whose token it is.
    case failedProviderByAccount = "failed-provider-by-account"
    /// The same from one device that the account is known by (`TrustedLane`).
    case failedProviderByKnownDevice = "failed-provider-by-known-device"

    /// Sign-ups from one address; IPv6 by /48, which is what one customer is given.
    case signUpByAddress = "sign-up-by-address"
    /// Guests from one address; IPv6 by /48.
    case guestSignUpByAddress = "guest-sign-up-by-address"
    /// Sign-ups on one email from one address, or one application without addresses: while it is
    /// taken, each sends its owner a mail.
    case signUpOnTakenEmail = "sign-up-on-taken-email"
    /// Calls of an application that may assert its users' addresses and did not: all its users
    /// share one subject, so the application notices.
    case unaddressedByApplication = "unaddressed-by-application"

    /// Codes to one phone number: longer and longer waits, and ten a day.
    case phoneCodeRequest = "phone-code-request"
    /// Codes that one address asks for, to whatever numbers; IPv6 by /48.
    case phoneCodeByAddress = "phone-code-by-address"
    /// Codes to one block of a thousand numbers: whoever is paid for the messages that he receives
    /// rents numbers by the block ("pumping").
    case phoneCodeByBlock = "phone-code-by-block"
    /// Codes to one country, or area of the North American plan.
    case phoneCodeByCountry = "phone-code-by-country"
    /// Wrong codes for one phone number, from devices that it is not known by.
    case phoneCodeGuess = "phone-code-guess"
    /// Wrong codes for one phone number from one device that it is known by (`TrustedLane`).
    case phoneCodeGuessByKnownDevice = "phone-code-guess-by-known-device"
    /// The first guess at each fresh code, once `phone-code-guess` is shut for the number.
    case phoneCodeFirstGuess = "phone-code-first-guess"
    /// Guesses from one address that were not right, at whatever codes; IPv6 by /48.
    case phoneCodeGuessByAddress = "phone-code-guess-by-address"

    /// Verification mails to one account.
    case verificationMailByAccount = "verification-mail-by-account"
    /// Links to set a new password, to one email.
    case passwordResetByEmail = "password-reset-by-email"
    /// Links to set a new password that one address asks for, to whatever emails; IPv6 by /48.
    case passwordResetByAddress = "password-reset-by-address"
    /// Mails to one email that others cause: that it is taken, that it is to become another account's.
    case mailByTarget = "mail-by-target"
    /// Changes of one account's profile.
    case profileUpdateByAccount = "profile-update-by-account"

    /// When so many sign-ins have failed in all, on accounts from devices that they are not known
    /// by, the alarm is raised (`CredentialStuffingDetector`). Nothing is refused by this one.
    case signInFailuresOverall = "sign-in-failures-overall"
    /// Of one site (`SubjectNamer`), those that count towards the alarm. Nothing is refused by it.
    case signInFailuresBySite = "sign-in-failures-by-site"
    /// While the alarm lasts: sign-ins in all from devices that the account is not known by.
    case signInWithoutHistory = "sign-in-without-history"
    /// While the alarm lasts: those of one site.
    case signInWithoutHistoryBySite = "sign-in-without-history-by-site"
    /// No limit but a mark: the account has signed in from this device (`TrustedLane`).
    case knownDevice = "known-device"
    /// New marks of one account: they live long, so nobody may make many (`KnownDevices`).
    case newDeviceByAccount = "new-device-by-account"
    /// No limit but a mark: what the account was known by before it is forgotten (`KnownDevices`).
    case devicesForgotten = "devices-forgotten"

    /// Emails and numbers that one site names, and that nothing was counted on until then.
    case newSubjectsBySite = "new-subjects-by-site"
    /// The same of an application that asserts no addresses.
    case newSubjectsByApplication = "new-subjects-by-application"

    /// Whether it is charged by this service alone, as a part of others.
    var isInternal: Bool {
        switch self {
        case .failedSignInByKnownDevice, .failedProviderByKnownDevice,
            .failedSignInInARow, .phoneCodeGuessByKnownDevice, .phoneCodeFirstGuess,
            .signInFailuresOverall, .signInFailuresBySite, .signInWithoutHistory,
            .signInWithoutHistoryBySite, .knownDevice, .newDeviceByAccount, .devicesForgotten,
            .newSubjectsBySite, .newSubjectsByApplication:
            true
        default: false
        }
    }

    /// Whether the operator may change it. Marks are a memory: without them, or with others, no
    /// device would be known any more, and nothing would tell.
    var isOperators: Bool {
        switch self {
        case .knownDevice, .newDeviceByAccount, .devicesForgotten: false
        default: true
        }
    }

    /// How much is allowed, unless the operator says otherwise.
    package var rule: LimitRule { definition.rule }

    /// What its flow does when the limiter cannot be reached.
    package var absence: LimiterAbsence { definition.absence }

    /// The limit of that number in the store.
    init?(number: UInt16) {
        guard Self.byNumber.indices.contains(Int(number)), let limit = Self.byNumber[Int(number)]
        else { return nil }
        self = limit
    }

    /// The limit that callers call so; nil for none. `init(rawValue:)` compares with one name after
    /// the other.
    static func called(_ name: String) -> LimitName? {
        var name = name
        return name.withUTF8 { called(UnsafeRawBufferPointer($0)) }
    }

    /// The same for a name's bytes. Few names are equally long, so no hash is needed.
    static func called(_ name: UnsafeRawBufferPointer) -> LimitName? {
        guard byLength.indices.contains(name.count), let start = name.baseAddress else {
            return nil
        }
        return byLength[name.count].first { memcmp($0.name, start, name.count) == 0 }?.limit
    }

    /// Each limit with its name's bytes, by how many they are.
    private static let byLength: [[(name: [UInt8], limit: LimitName)]] = {
        let names = allCases.map { (name: Array($0.rawValue.utf8), limit: $0) }
        let longest = names.map(\.name.count).max() ?? 0
        return (0...longest).map { length in names.filter { $0.name.count == length } }
    }()

    private static let byNumber: [LimitName?] = {
        let last = allCases.map(\.number).max() ?? 0
        return (0...last).map { number in allCases.first { $0.number == number } }
    }()
}

/// What a flow does when the limiter cannot be reached.
package enum LimiterAbsence: String, Sendable {
    /// It refuses: somebody could guess, or send messages at our cost, while nobody counts.
    case refuse
    /// It goes on, uncounted.
    case pass
}
