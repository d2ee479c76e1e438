import Addresses
import Contracts
import Messages
import ServiceRuntime

// What a sign-in does once its second proof is there, as the challenge keeps it, sealed.

extension IdentityV1.WaitingSignIn {
    /// What is common to all first proofs.
    /// - Parameter guest: the account of the session that made the call; nil outside of one.
    init(_ first: FirstProof, _ call: ChallengedCall, guest: AccountID?) {
        self.init(
            method: first.method.name, amr: first.authentication.amr, chargeId: call.chargeID,
            guest: guest?.key ?? 0, isReset: first == .resetLink,
            numberKey: first.numberKey ?? [])
    }

    /// The method of the first proof.
    var firstMethod: SignInMethod { SignInMethod(name: method) }

    /// The identity that the first proof proved; nil for a password or a link.
    var proved: ProvedIdentity? { identity.map { $0.proved(firstMethod) } }

    /// The calling session, if it is the one that made the first call.
    func sameGuest(_ caller: CallingSession?) -> CallingSession? {
        caller.flatMap { $0.account.key == guest ? $0 : nil }
    }
}

extension IdentityV1.WaitingIdentity {
    /// The identity that a token or a code has proved. Its nonce is used already.
    init(_ proved: ProvedIdentity) {
        self.init(
            issuer: proved.issuer, subject: proved.subject,
            email: proved.email?.address.entered ?? "",
            emailVerified: proved.email?.isVerified ?? false,
            emailRelay: proved.email?.isRelay ?? false, displayName: proved.displayName,
            photoUrl: proved.photoURL, code: proved.code?.code ?? "", audience: proved.audience)
    }

    /// The same identity.
    fileprivate func proved(_ method: SignInMethod) -> ProvedIdentity {
        var proved = ProvedIdentity(method: method, issuer: issuer, subject: subject)
        proved.email = EmailAddress(email).map {
            ProvedIdentity.Email(address: $0, isVerified: emailVerified, isRelay: emailRelay)
        }
        proved.displayName = displayName
        proved.photoURL = photoUrl
        proved.audience = audience
        proved.code = BuiltInProvider(rawValue: method.name).flatMap {
            GrantCode(code, by: $0, client: audience)
        }
        return proved
    }
}

extension IdentityV1.StoredResponse {
    /// The stored response of a sign-in that waits for a second proof. An end of all sessions makes it
    /// void (`SQLSession.storedResponse(of:at:)`).
    init(challenged row: AccountRow, _ issued: IssuedChallenge) {
        self.init(repeatedByPasswordOf: row)
        challenge = issued.challenge
        challengeKinds = issued.kinds.map(\.rawValue)
        challengeExpiresAtMs = issued.expiresAt.milliseconds
    }
}
