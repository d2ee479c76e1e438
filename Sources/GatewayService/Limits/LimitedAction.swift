import EmailAddresses
import Messages
import ServiceRuntime

/// What a flow asks the limiter to allow, and the limits that hold for it.
enum LimitedAction {
    case signUp(email: String, caller: LimitedCaller)
    case signIn(email: String, device: String, caller: LimitedCaller)
    /// Before anybody knows whether the email has an account.
    case passwordReset(email: String, caller: LimitedCaller)
    case verificationMail(account: String)
    /// The same by the account's password, which is counted as a guess besides.
    case verificationMailByPassword(email: String)
    /// A mail that the address's reader has not asked for (`countingUnrequestedMail`).
    case unaskedMail(email: String)
    /// Nothing is asked, not even an email.
    case guestSignUp(caller: LimitedCaller)
    /// Before a provider's token is looked at, of whoever (`countingProviderToken`).
    case providerSignIn(device: String, caller: LimitedCaller)
    /// The same by the session of an account, for proving oneself once more and for linking.
    case providerProof(account: String, device: String, caller: LimitedCaller)
    /// Before a code is sent to a number in E.164; whether or not it has an account.
    case phoneCodeRequest(number: String, caller: LimitedCaller)
    /// Before a code to a number is looked at, which a request had sent.
    case phoneCodeGuess(number: String, request: String, device: String, caller: LimitedCaller)

    /// The flow that it is a part of.
    var flow: LimitedFlow {
        switch self {
        case .signUp: .signUp
        case .signIn: .passwordSignIn
        case .passwordReset: .passwordReset
        case .verificationMail, .verificationMailByPassword, .unaskedMail: .verificationMail
        case .guestSignUp: .guestSignUp
        case .providerSignIn, .providerProof: .providerSignIn
        case .phoneCodeRequest, .phoneCodeGuess: .phoneCode
        }
    }

    /// The longest that identity takes is shorter.
    private static let emailBytesMax = 320
    /// The id of a request for a code is shorter.
    private static let requestBytesMax = 64

    /// The charges to make, all or none.
    var charges: [RateLimitV1.Charge] {
        switch self {
        case .signUp(let email, let caller):
            // Charged before anybody knows whether the email is taken: each answer that it is
            // sends its owner a mail.
            [
                Self.byAddress("sign-up-by-address", caller),
                RateLimitV1.Charge(
                    limit: "sign-up-on-taken-email",
                    subject: "\(caller.subject)|\(Self.folded(email))"),
            ]
        case .signIn(let email, let device, let caller):
            Self.byAccount(email, device) + [Self.byAddress("failed-sign-in-by-address", caller)]
                + Self.byDevice("failed-sign-in-by-device", device, caller)
                + Self.bySite("failed-sign-in-by-site", caller)
        case .passwordReset(let email, let caller):
            // By address too: each wish is written and mailed, whoever's email it names.
            [
                RateLimitV1.Charge(limit: "password-reset-by-email", subject: Self.folded(email)),
                Self.byAddress("password-reset-by-address", caller),
            ]
        case .unaskedMail(let email):
            [RateLimitV1.Charge(limit: "mail-by-target", subject: Self.folded(email))]
        case .verificationMail(let account):
            [RateLimitV1.Charge(limit: "verification-mail-by-account", subject: account)]
        case .verificationMailByPassword(let email):
            [
                RateLimitV1.Charge(
                    limit: "verification-mail-by-account", subject: Self.folded(email))
            ]
        case .guestSignUp(let caller):
            [Self.byAddress("guest-sign-up-by-address", caller)]
        case .providerSignIn(let device, let caller):
            Self.byProvider(device, caller)
        case .providerProof(let account, let device, let caller):
            [
                RateLimitV1.Charge(
                    limit: "failed-provider-by-account", subject: account, device: device)
            ] + Self.byProvider(device, caller)
        case .phoneCodeRequest(let number, let caller):
            [
                Self.ladder(number), Self.byAddress("phone-code-by-address", caller),
                RateLimitV1.Charge(limit: "phone-code-by-block", subject: number),
                RateLimitV1.Charge(limit: "phone-code-by-country", subject: number),
            ]
        case .phoneCodeGuess(let number, let request, let device, let caller):
            [
                RateLimitV1.Charge(
                    limit: "phone-code-guess", subject: number, device: device,
                    target: request.utf8.count <= Self.requestBytesMax ? request : ""),
                Self.byAddress("phone-code-guess-by-address", caller),
            ]
        }
    }

    /// The limits whose part of the charge an error gives back, while the rest stands: a guess counts on
    /// a number only where a live code of it was compared and the caller got the answer. Attack:
    /// somebody invents requests, and leaves before the answer, and so shuts any number without a
    /// message sent to it. (A guess without an answer teaches nothing; identity counts it on its code.)
    func spared(by error: ServiceError) -> [String] {
        guard case .phoneCodeGuess = self, error.code != .invalidCode || error.isOfNoLiveCode else {
            return []
        }
        return ["phone-code-guess"]
    }

    /// The account or number that a guess is about, as `GuessesUnderWay` knows it; nil for what is no
    /// guess.
    var guessedAt: String? {
        switch self {
        case .signIn(let email, _, _): email.isEmpty ? nil : "email|\(Self.folded(email))"
        case .providerProof(let account, _, _): "account|\(account)"
        case .phoneCodeGuess(let number, _, _, _): "number|\(number)"
        default: nil
        }
    }

    /// Whether a limit is about whom a guess is about, and not about where it comes from.
    static func isAboutGuessed(_ limit: String) -> Bool { guessed.contains(limit) }

    private static let guessed: Set<String> = [
        "failed-sign-in-by-account", "failed-sign-in-by-known-device", "failed-sign-in-by-device",
        "failed-sign-in-in-a-row", "failed-provider-by-account", "failed-provider-by-known-device",
        "failed-provider-by-device", "phone-code-guess", "phone-code-guess-by-known-device",
        "phone-code-first-guess",
    ]

    /// The charge to an account's own limit on failures, by which its devices are known, too.
    static func ofAccount(_ email: String, _ device: String) -> RateLimitV1.Charge {
        RateLimitV1.Charge(
            limit: "failed-sign-in-by-account", subject: folded(email), device: device)
    }

    /// What begins again with this one's success: who has shown a code to be right waits no longer for
    /// the next one.
    var begunAnew: [RateLimitV1.Charge] {
        switch self {
        case .phoneCodeGuess(let number, _, _, _): [Self.ladder(number)]
        default: []
        }
    }

    /// The longer and longer waits between codes to one number.
    private static func ladder(_ number: String) -> RateLimitV1.Charge {
        RateLimitV1.Charge(limit: "phone-code-request", subject: number)
    }

    private static func byProvider(
        _ device: String, _ caller: LimitedCaller
    ) -> [RateLimitV1.Charge] {
        [byAddress("failed-provider-by-address", caller)]
            + byDevice("failed-provider-by-device", device, caller)
    }

    /// No email is nobody's; it is identity's to refuse. A device that the account has signed in
    /// from before has a lane of its own, which the limiter knows.
    private static func byAccount(_ email: String, _ device: String) -> [RateLimitV1.Charge] {
        guard !email.isEmpty else { return [] }
        return [ofAccount(email, device)]
    }

    private static func byAddress(_ limit: String, _ caller: LimitedCaller) -> RateLimitV1.Charge {
        switch caller {
        case .address(let address): RateLimitV1.Charge(limit: limit, subject: address)
        case .application(let application):
            RateLimitV1.Charge(limit: "unaddressed-by-application", subject: application)
        }
    }

    /// What a customer has of IPv6 is more than one household's; of IPv4 it is the address.
    private static func bySite(_ limit: String, _ caller: LimitedCaller) -> [RateLimitV1.Charge] {
        guard case .address(let address) = caller, address.contains(":") else { return [] }
        return [RateLimitV1.Charge(limit: limit, subject: address)]
    }

    /// The device is the caller's word: it only ever narrows the limit on its address.
    private static func byDevice(
        _ limit: String, _ device: String, _ caller: LimitedCaller
    ) -> [RateLimitV1.Charge] {
        guard case .address(let address) = caller else { return [] }
        return [RateLimitV1.Charge(limit: limit, subject: "\(address)|\(device)")]
    }

    /// All spellings that reach one account share one subject, before any look-up: what identity
    /// compares addresses by. What is no address reaches no account; it only must not grow.
    private static func folded(_ email: String) -> String {
        if let address = EmailAddress(email) {
            return String(decoding: address.normalised, as: UTF8.self)
        }
        return String(decoding: email.utf8.prefix(emailBytesMax), as: UTF8.self)
    }
}

extension ServiceError {
    /// Whether a guess was refused without being compared with a code: identity names the request
    /// then, not the code (`PhoneCodeRefusal`).
    var isOfNoLiveCode: Bool { code == .invalidCode && fields == ["request_id"] }
}
