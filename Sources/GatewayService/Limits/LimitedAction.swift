import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime

/// What a flow asks the rate limiter to allow, and the limits that apply to it.
enum LimitedAction {
    case signUp(email: String, caller: LimitedCaller, app: String? = nil)
    case signIn(email: String, device: String, caller: LimitedCaller)
    /// A password that is right, charged while it is compared.
    case rightPassword(email: String)
    /// Charged before it is known whether the email has an account.
    case passwordReset(email: String, caller: LimitedCaller)
    /// The same for a link to the page that deletes an account (G-19).
    case deletionLink(email: String, caller: LimitedCaller)
    /// A new password: checked while it is typed, or sent with a mailed link, where it may be hashed
    /// twice although it is refused.
    case passwordCheck(caller: LimitedCaller)
    /// A mail that the caller's own account requests to verify its address.
    case verificationMail(account: String)
    /// A mail to a parent, whom the caller's own account names (G-23).
    case parentalMail(account: String)
    /// The same with the account's password, which is also counted as a guess.
    case verificationMailByPassword(email: String)
    /// A mail that its recipient has not requested (`countingUnrequestedMail`).
    case unrequestedMail(email: String)
    /// A guest gives nothing, not even an email.
    case guestSignUp(caller: LimitedCaller, app: String? = nil)
    /// Charged before a provider's token is verified, whichever identity it names
    /// (`countingProviderToken`).
    case providerSignIn(device: String, caller: LimitedCaller)
    /// The same in an account's session, for re-authentication and for linking.
    case providerProof(account: String, device: String, caller: LimitedCaller)
    /// Charged before a code is sent to a number in E.164, whether or not the number has an
    /// account.
    case phoneCodeRequest(number: String, caller: LimitedCaller)
    /// Charged before a code is compared. `request` is the id of the request that had the
    /// code sent.
    case phoneCodeGuess(number: String, request: String, device: String, caller: LimitedCaller)
    /// A write of documents or of a draft of onboarding, in the account's own session (I-07), and
    /// what else writes rows in it, such as a link or a removal of a sign-in method. The collection
    /// `profile` counts as the profile too: otherwise it would be a way around that limit. `units`
    /// is what it costs of `DocumentWork`.
    case documentWrite(account: String, collections: [String] = [], units: Int = 0)
    /// What a call costs of `DocumentWork` besides (`RateLimiter.paying`).
    case documentWork(account: String, units: Int)
    /// A change of the display name, or a removal of the photo (G-17).
    case profileUpdate(account: String)
    /// A new photo (G-17).
    case photoUpload(account: String)
    /// Documents that an app kept on the device while its user was a guest (G-16).
    case guestBundle(account: String)
    /// An export of all data (G-21).
    case dataExport(account: String)
    /// A request to delete the account, in its own session (G-19).
    case deletion(account: String)

    /// The flow that the action belongs to.
    var flow: LimitedFlow {
        switch self {
        case .signUp: .signUp
        case .signIn, .rightPassword: .passwordSignIn
        case .passwordReset, .deletionLink: .passwordReset
        case .passwordCheck: .passwordCheck
        case .verificationMail, .verificationMailByPassword, .parentalMail, .unrequestedMail,
            .deletion:
            .verificationMail
        case .guestSignUp: .guestSignUp
        case .providerSignIn, .providerProof: .providerSignIn
        case .phoneCodeRequest, .phoneCodeGuess: .phoneCode
        case .documentWrite, .documentWork, .guestBundle: .documentWrite
        case .profileUpdate, .photoUpload: .profileUpdate
        case .dataExport: .dataExport
        }
    }

    /// Longer than any email that the identity service accepts.
    private static let emailBytesMax = 320
    /// Longer than the id of any request for a code.
    private static let requestBytesMax = 64
    /// The collection whose documents are part of a profile.
    static let profileCollection = "profile"
    /// The work of a migration that is tried again: with what an account's bundles hold by default,
    /// 1 MiB.
    static let migrationUnits = (1 << 20) / DocumentWork.unitBytes

    /// The charges to make, all or none.
    var charges: [RateLimitV1.Charge] {
        switch self {
        case .signUp(let email, let caller, let app):
            // Charged before it is known whether the email is taken: each sign-up on a taken email
            // sends its owner a mail.
            [
                Self.byAddress(.signUpByAddress, caller),
                LimitName.signUpOnTakenEmail.charge("\(caller.subject)|\(Self.folded(email))"),
            ] + Self.byApp(app)
        case .signIn(let email, let device, let caller):
            Self.byAccount(email, device) + [Self.byAddress(.failedSignInByAddress, caller)]
                + Self.byDevice(.failedSignInByDevice, device, caller)
                + Self.bySite(.failedSignInBySite, caller)
        case .rightPassword(let email):
            [LimitName.signInByAccount.charge(Self.folded(email))]
        case .passwordReset(let email, let caller):
            // By address too: each request is stored and mailed, whatever email it names.
            [
                LimitName.passwordResetByEmail.charge(Self.folded(email)),
                Self.byAddress(.passwordResetByAddress, caller),
            ]
        case .deletionLink(let email, let caller):
            [
                LimitName.deletionLinkByEmail.charge(Self.folded(email)),
                Self.byAddress(.passwordResetByAddress, caller),
            ]
        case .passwordCheck(let caller):
            [Self.byAddress(.passwordCheckByAddress, caller)]
        case .parentalMail(let account):
            [LimitName.parentalMailByAccount.charge(account)]
        case .unrequestedMail(let email):
            [LimitName.mailByTarget.charge(Self.folded(email))]
        case .verificationMail(let account):
            [LimitName.verificationMailByAccount.charge(account)]
        case .verificationMailByPassword(let email):
            [LimitName.verificationMailByAccount.charge(Self.folded(email))]
        case .guestSignUp(let caller, let app):
            [Self.byAddress(.guestSignUpByAddress, caller)] + Self.byApp(app)
        case .providerSignIn(let device, let caller):
            Self.byProvider(device, caller)
        case .providerProof(let account, let device, let caller):
            [LimitName.failedProviderByAccount.charge(account, device: device)]
                + Self.byProvider(device, caller)
        case .phoneCodeRequest(let number, let caller):
            [
                Self.ladder(number), Self.byAddress(.phoneCodeByAddress, caller),
                LimitName.phoneCodeByBlock.charge(number),
                LimitName.phoneCodeByCountry.charge(number),
            ]
        case .phoneCodeGuess(let number, let request, let device, let caller):
            [
                LimitName.phoneCodeGuess.charge(
                    number, device: device,
                    target: request.utf8.count <= Self.requestBytesMax ? request : ""),
                Self.byAddress(.phoneCodeGuessByAddress, caller),
            ]
        case .documentWrite(let account, let collections, let units):
            [LimitName.documentWriteByAccount.charge(account)] + Self.byWork(account, units)
                + (collections.contains(Self.profileCollection)
                    ? [LimitName.profileUpdateByAccount.charge(account)] : [])
        case .documentWork(let account, let units): Self.byWork(account, units)
        case .profileUpdate(let account), .photoUpload(let account):
            [LimitName.profileUpdateByAccount.charge(account)]
        case .guestBundle(let account): [LimitName.guestBundleByAccount.charge(account)]
        case .dataExport(let account):
            [LimitName.exportByAccount.charge(account)]
        case .deletion(let account):
            [LimitName.deletionByAccount.charge(account)]
        }
    }

    /// The account or number that a guess is about, in the form that `GuessesUnderWay` uses; nil
    /// for an action that is not a guess.
    var guessedAt: String? {
        switch self {
        case .signIn(let email, _, _): email.isEmpty ? nil : "email|\(Self.folded(email))"
        case .providerProof(let account, _, _): "account|\(account)"
        case .phoneCodeGuess(let number, _, _, _): "number|\(number)"
        default: nil
        }
    }

    /// Whether a limit is about the account or number that is guessed at, and not about the
    /// caller's address.
    static func isAboutGuessed(_ limit: String) -> Bool {
        LimitName(rawValue: limit).map(guessed.contains) ?? false
    }

    private static let guessed: Set<LimitName> = [
        .failedSignInByAccount, .failedSignInByKnownDevice, .failedSignInByDevice,
        .failedSignInInARow, .failedProviderByAccount, .failedProviderByKnownDevice,
        .failedProviderByDevice, .phoneCodeGuess, .phoneCodeGuessByKnownDevice,
        .phoneCodeFirstGuess,
    ]

    /// The charge to an account's own limit on failures. The account's known devices are recorded
    /// under the same subject.
    static func ofAccount(_ email: String, _ device: String) -> RateLimitV1.Charge {
        LimitName.failedSignInByAccount.charge(folded(email), device: device)
    }

    /// The charges that start over after this action's success. A user who has entered a right code
    /// does not wait for the next one.
    var restartedCharges: [RateLimitV1.Charge] {
        switch self {
        case .phoneCodeGuess(let number, _, _, _): [Self.ladder(number)]
        default: []
        }
    }

    /// The escalating delays between codes to one number.
    private static func ladder(_ number: String) -> RateLimitV1.Charge {
        LimitName.phoneCodeRequest.charge(number)
    }

    private static func byProvider(
        _ device: String, _ caller: LimitedCaller
    ) -> [RateLimitV1.Charge] {
        [byAddress(.failedProviderByAddress, caller)]
            + byDevice(.failedProviderByDevice, device, caller)
    }

    /// An empty email has no subject; the identity service rejects it. A device that the account
    /// has signed in from before has its own limit, which the rate limiter chooses.
    private static func byAccount(_ email: String, _ device: String) -> [RateLimitV1.Charge] {
        guard !email.isEmpty else { return [] }
        return [ofAccount(email, device)]
    }

    private static func byAddress(_ limit: LimitName, _ caller: LimitedCaller) -> RateLimitV1.Charge
    {
        switch caller {
        case .address(let address): limit.charge(address)
        case .application(let application):
            LimitName.unaddressedByApplication.charge(application)
        }
    }

    private static func byApp(_ app: String?) -> [RateLimitV1.Charge] {
        app.map { [LimitName.newAccountByApp.charge($0)] } ?? []
    }

    private static func byWork(_ account: String, _ units: Int) -> [RateLimitV1.Charge] {
        units > 0 ? [LimitName.documentWorkByAccount.charge(account, amount: units)] : []
    }

    /// In IPv6 one customer has more than one household's network. In IPv4 the site is the address.
    private static func bySite(_ limit: LimitName, _ caller: LimitedCaller) -> [RateLimitV1.Charge]
    {
        guard case .address(let address) = caller, address.contains(":") else { return [] }
        return [limit.charge(address)]
    }

    /// The device id is chosen by the caller, so it may only narrow the limit on the caller's
    /// address.
    private static func byDevice(
        _ limit: LimitName, _ device: String, _ caller: LimitedCaller
    ) -> [RateLimitV1.Charge] {
        guard case .address(let address) = caller else { return [] }
        return [limit.charge("\(address)|\(device)")]
    }

    /// Canonical form of an email before any look-up, so that all spellings of one account's email
    /// share one subject. It is the form that the identity service compares. Text that is not an
    /// email matches no account and is only truncated.
    private static func folded(_ email: String) -> String {
        if let address = EmailAddress(email) {
            return String(decoding: address.normalised, as: UTF8.self)
        }
        return String(decoding: email.utf8.prefix(emailBytesMax), as: UTF8.self)
    }
}

/// The subject of a limit by address: the user's address where the application may assert it and
/// did, otherwise the application as a whole. Attack: an application leaves the address out to lift
/// the limit.
enum LimitedCaller: Hashable, Sendable {
    case address(String)
    case application(String)

    /// The caller of a call.
    /// - Throws: as `CallContext.personsAddress`.
    init(_ context: CallContext) throws(ServiceError) {
        if let address = try context.personsAddress() {
            self = .address(address)
        } else {
            self = .application(context.application)
        }
    }

    /// The text that names the caller in a subject.
    var subject: String {
        switch self {
        case .address(let text), .application(let text): text
        }
    }

    /// The form in which the rate limiter gets the origin of a batch's subjects.
    var namedBy: RateLimitV1.ConsumeRequest.NamedBy {
        switch self {
        case .address(let text): .clientAddress(text)
        case .application(let text): .application(text)
        }
    }
}

extension LimitName {
    /// A charge to this limit.
    fileprivate func charge(
        _ subject: String, device: String = "", target: String = "", amount: Int = 1
    ) -> RateLimitV1.Charge {
        RateLimitV1.Charge(
            limit: rawValue, subject: subject, device: device, target: target,
            amount: amount > 1 ? UInt32(clamping: amount) : 0)
    }

    /// Whether `charge` is to this limit.
    func isLimit(of charge: RateLimitV1.Charge) -> Bool { charge.limit == rawValue }
}
