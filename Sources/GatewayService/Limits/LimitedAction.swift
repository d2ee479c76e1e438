import Addresses
import Contracts
import Messages
import RPC
import ServiceRuntime

/// What a flow asks the rate limiter to allow: its charges, and what follows from them. Each
/// action is a function below, or in `LimitedAction+SecondProofs.swift`.
struct LimitedAction: Sendable {
    /// The flow that it belongs to.
    let flow: LimitedFlow
    /// Decides whether the charge stays if the flow fails (`ChargeSettlement`).
    let kind: ChargeKind
    /// The charges to make, all or none.
    let charges: [RateLimitV1.Charge]
    /// The account or number that a guess is about, in the form that `GuessesUnderWay` uses; nil
    /// for an action that is not a guess.
    let guessedAt: String?
    /// Whose account a limit on guesses locks (`LockNotes`); nil for an action that is not a guess
    /// at a password or a code.
    let guessedOwner: IdentityV1.NoteLockRequest.Owner?
    /// The charges that start over after its success.
    let restartedCharges: [RateLimitV1.Charge]
    /// The limits that count only what the identity service has compared, and answered as wrong.
    let countsCompared: [LimitName]
    /// The limits that count only what was done, not what was refused for its content.
    let countsDone: [LimitName]

    init(
        _ flow: LimitedFlow, _ kind: ChargeKind, _ charges: [RateLimitV1.Charge],
        guessedAt: String? = nil, guessedOwner: IdentityV1.NoteLockRequest.Owner? = nil,
        restartedCharges: [RateLimitV1.Charge] = [],
        countsCompared: [LimitName] = [], countsDone: [LimitName] = []
    ) {
        self.flow = flow
        self.kind = kind
        self.charges = charges
        self.guessedAt = guessedAt
        self.guessedOwner = guessedOwner
        self.restartedCharges = restartedCharges
        self.countsCompared = countsCompared
        self.countsDone = countsDone
    }
}

/// Accounts and their passwords.
extension LimitedAction {
    /// Charged before it is known whether the email is taken: each sign-up on a taken email sends
    /// its owner a mail. A correction of an address is charged as one, without an app: no account is
    /// created.
    static func signUp(
        email: String, caller: LimitedCaller, app: String? = nil
    ) -> LimitedAction {
        let onEmail = LimitName.signUpOnTakenEmail.charge("\(caller.subject)|\(folded(email))")
        return LimitedAction(
            .signUp, .signUp, [byAddress(.signUpByAddress, caller), onEmail] + byApp(app))
    }

    /// A guest gives nothing, not even an email.
    static func guestSignUp(caller: LimitedCaller, app: String? = nil) -> LimitedAction {
        LimitedAction(
            .guestSignUp, .act, [byAddress(.guestSignUpByAddress, caller)] + byApp(app))
    }

    /// A guess at a password.
    static func signIn(email: String, device: String, caller: LimitedCaller) -> LimitedAction {
        LimitedAction(
            .passwordSignIn, .guess,
            byAccount(email, device) + [byAddress(.failedSignInByAddress, caller)]
                + byDevice(.failedSignInByDevice, device, caller)
                + bySite(.failedSignInBySite, caller),
            guessedAt: email.isEmpty ? nil : "email|\(folded(email))",
            guessedOwner: .email(email))
    }

    /// A password that is right, charged while it is compared.
    static func rightPassword(email: String) -> LimitedAction {
        LimitedAction(
            .passwordSignIn, .guardedAct, [LimitName.signInByAccount.charge(folded(email))])
    }

    /// Charged before it is known whether the email has an account. By address too: each
    /// request is stored and mailed, whatever email it names.
    static func passwordReset(email: String, caller: LimitedCaller) -> LimitedAction {
        LimitedAction(
            .passwordReset, .act,
            [
                LimitName.passwordResetByEmail.charge(folded(email)),
                byAddress(.passwordResetByAddress, caller),
            ])
    }

    /// The same for a link to the page that deletes an account (G-19).
    static func deletionLink(email: String, caller: LimitedCaller) -> LimitedAction {
        LimitedAction(
            .passwordReset, .act,
            [
                LimitName.deletionLinkByEmail.charge(folded(email)),
                byAddress(.passwordResetByAddress, caller),
            ])
    }

    /// A sign-in that its account's owner disowns by a mailed link. Each link that works mails
    /// another one.
    static func disownedSignIn(caller: LimitedCaller) -> LimitedAction {
        LimitedAction(.passwordReset, .act, [byAddress(.passwordResetByAddress, caller)])
    }

    /// A new password: checked while it is typed, or sent to be set. With a mailed link it may be
    /// hashed twice although it is refused; and each that the policy allows may be looked up at the
    /// service of leaked passwords, which has places for few at a time.
    static func passwordCheck(caller: LimitedCaller) -> LimitedAction {
        LimitedAction(.passwordCheck, .work, [byAddress(.passwordCheckByAddress, caller)])
    }

    /// The charge to an account's own limit on failures. The account's known devices are recorded
    /// under the same subject.
    static func ofAccount(_ email: String, _ device: String) -> RateLimitV1.Charge {
        LimitName.failedSignInByAccount.charge(folded(email), device: device)
    }
}

/// Tokens of providers, passkeys, and codes to phones.
extension LimitedAction {
    /// Charged before a provider's token is verified, whichever identity it names
    /// (`countingProviderToken`).
    static func providerSignIn(device: String, caller: LimitedCaller) -> LimitedAction {
        LimitedAction(.providerSignIn, .token, byProvider(device, caller))
    }

    /// The same in an account's session, for re-authentication and for linking.
    static func providerProof(
        account: String, device: String, caller: LimitedCaller
    ) -> LimitedAction {
        let own = LimitName.failedProviderByAccount.charge(account, device: device)
        return LimitedAction(
            .providerSignIn, .token, [own] + byProvider(device, caller),
            guessedAt: "account|\(account)")
    }

    /// Charged before a signature by a passkey is verified, in every flow that takes one. By
    /// address only: a signature cannot be guessed, and by a limit of the account strangers would
    /// lock it.
    static func passkey(caller: LimitedCaller) -> LimitedAction {
        LimitedAction(.passkeySignIn, .token, [byAddress(.failedPasskeyByAddress, caller)])
    }

    /// Charged before a code is sent to a number in E.164, whether or not the number has an
    /// account.
    static func phoneCodeRequest(number: String, caller: LimitedCaller) -> LimitedAction {
        LimitedAction(
            .phoneCode, .act,
            [
                ladder(number), byAddress(.phoneCodeByAddress, caller),
                LimitName.phoneCodeByBlock.charge(number),
                LimitName.phoneCodeByCountry.charge(number),
            ])
    }

    /// Charged before a code is compared. A user who has entered a right code does not wait
    /// for the next one.
    ///
    /// A guess counts against a number only if it was compared with a live code and the caller got
    /// the response. Attack: a stranger invents requests and cancels before the response, to lock
    /// any number without having a message sent to it. (A guess without a response reveals nothing,
    /// and the identity service counts it against its code.)
    /// - Parameter request: the id of the request that had the code sent.
    static func phoneCodeGuess(
        number: String, request: String, device: String, caller: LimitedCaller
    ) -> LimitedAction {
        let target = request.utf8.count <= requestBytesMax ? request : ""
        return LimitedAction(
            .phoneCode, .guess,
            [
                LimitName.phoneCodeGuess.charge(number, device: device, target: target),
                byAddress(.phoneCodeGuessByAddress, caller),
            ],
            guessedAt: "number|\(number)", guessedOwner: .phoneNumber(number),
            restartedCharges: [ladder(number)],
            countsCompared: [.phoneCodeGuess])
    }

    /// The escalating delays between codes to one number.
    private static func ladder(_ number: String) -> RateLimitV1.Charge {
        LimitName.phoneCodeRequest.charge(number)
    }
}

/// Mails.
extension LimitedAction {
    /// A mail that the caller's own account requests to verify its address.
    static func verificationMail(account: String) -> LimitedAction {
        LimitedAction(
            .verificationMail, .act, [LimitName.verificationMailByAccount.charge(account)])
    }

    /// The same with the account's password, which is also counted as a guess. Also for a correction
    /// of its address.
    static func verificationMailByPassword(email: String) -> LimitedAction {
        LimitedAction(
            .verificationMail, .guardedAct,
            [LimitName.verificationMailByAccount.charge(folded(email))])
    }

    /// A mail to a parent, whom the caller's own account names (G-23).
    static func parentalMail(account: String) -> LimitedAction {
        LimitedAction(.verificationMail, .act, [LimitName.parentalMailByAccount.charge(account)])
    }

    /// A mail that its recipient has not requested (`countingUnrequestedMail`).
    /// - Parameter isGuarded: Whether it is sent only after a right password, which is charged by
    ///   itself.
    static func unrequestedMail(email: String, isGuarded: Bool = false) -> LimitedAction {
        LimitedAction(
            .verificationMail, isGuarded ? .guardedAct : .act,
            [LimitName.mailByTarget.charge(folded(email))])
    }

    /// A request to delete the account, in its own session (G-19).
    static func deletion(account: String) -> LimitedAction {
        LimitedAction(.verificationMail, .act, [LimitName.deletionByAccount.charge(account)])
    }
}

/// What an account keeps.
extension LimitedAction {
    /// The collection whose documents are part of a profile.
    static let profileCollection = "profile"
    /// The work of a migration that is tried again: with what an account's bundles hold by default,
    /// 1 MiB.
    static let migrationUnits = (1 << 20) / DocumentWork.unitBytes

    /// A write of documents or of a draft of onboarding, in the account's own session (I-07), and
    /// what else writes rows in it, such as a link or a removal of a sign-in method. The collection
    /// `profile` counts as the profile too: otherwise it would be a way around that limit. A
    /// refused write of it has changed no profile.
    /// - Parameter units: what it costs of `DocumentWork`.
    static func documentWrite(
        account: String, collections: [String] = [], units: Int = 0
    ) -> LimitedAction {
        let profile: [LimitName] =
            collections.contains(profileCollection) ? [.profileUpdateByAccount] : []
        return LimitedAction(
            .documentWrite, .write,
            [LimitName.documentWriteByAccount.charge(account)] + byWork(account, units)
                + profile.map { $0.charge(account) },
            countsDone: profile)
    }

    /// What a call costs of `DocumentWork` besides (`RateLimiter.paying`).
    static func documentWork(account: String, units: Int) -> LimitedAction {
        LimitedAction(.documentWrite, .write, byWork(account, units))
    }

    /// Documents that an app kept on the device while its user was a guest (G-16).
    static func guestBundle(account: String) -> LimitedAction {
        LimitedAction(.documentWrite, .upload, [LimitName.guestBundleByAccount.charge(account)])
    }

    /// A change of the display name, or a removal of the photo (G-17).
    static func profileUpdate(account: String) -> LimitedAction {
        LimitedAction(.profileUpdate, .act, [LimitName.profileUpdateByAccount.charge(account)])
    }

    /// A new photo (G-17).
    static func photoUpload(account: String) -> LimitedAction {
        LimitedAction(.profileUpdate, .upload, [LimitName.profileUpdateByAccount.charge(account)])
    }

    /// A device for push messages, or a new token of one (N-04).
    static func pushDevice(account: String) -> LimitedAction {
        LimitedAction(.profileUpdate, .act, [LimitName.pushDeviceByAccount.charge(account)])
    }

    /// An export of all data (G-21).
    static func dataExport(account: String) -> LimitedAction {
        LimitedAction(.dataExport, .act, [LimitName.exportByAccount.charge(account)])
    }
}

/// What backends do.
extension LimitedAction {
    /// A call of a backend about an account that it manages (I-10). It costs a hash or a transaction,
    /// whatever its answer is.
    static func backendAccount(application: String) -> LimitedAction {
        LimitedAction(
            .backendAccount, .work, [LimitName.backendAccountByApplication.charge(application)])
    }

    /// A push message of a backend to an account's devices (N-02).
    static func push(account: String) -> LimitedAction {
        LimitedAction(.push, .act, [LimitName.pushByAccount.charge(account)])
    }
}

/// Charges that several actions have.
extension LimitedAction {
    /// Longer than any email that the identity service accepts.
    private static let emailBytesMax = 320
    /// Longer than the id of any request for a code.
    private static let requestBytesMax = 64

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

    static func byAddress(_ limit: LimitName, _ caller: LimitedCaller) -> RateLimitV1.Charge {
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

extension LimitName {
    /// A charge to this limit.
    func charge(
        _ subject: String, device: String = "", target: String = "", amount: Int = 1
    ) -> RateLimitV1.Charge {
        RateLimitV1.Charge(
            limit: rawValue, subject: subject, device: device, target: target,
            amount: amount > 1 ? UInt32(clamping: amount) : 0)
    }

    /// Whether `charge` is to this limit.
    func isLimit(of charge: RateLimitV1.Charge) -> Bool { charge.limit == rawValue }
}
