import Messages
import ServiceRuntime
import Storage

/// The validated request data of a sign-in by a proved identity, without the proof.
struct FederatedSignInCall: Sendable {
    let origin: CallOrigin
    /// The device, for notices to the account's owner.
    let device: SignInDevice
    /// The language of mails to a new account.
    let language: String
    /// The session that made the call, as the session service reports it (`SessionOwners`). A guest
    /// is upgraded; a full account is rejected. Nil without a session.
    var guest: SessionOwner?
    /// For idempotent retries; nil when the call carries no key. The fingerprint covers the
    /// identity (`IdentityKeys.lookUpKey(of:)`), because a stored response is returned only to a
    /// caller that proves the same identity again.
    let call: RepeatableCall?

    /// Reads the fields of a request other than its proof.
    /// - Parameter language: BCP 47; empty selects the default.
    /// - Throws: `rpc/invalid-argument` when `language` is not a language tag.
    init(
        from origin: IdentityV1.Origin?, language: String, guest: SessionOwner? = nil,
        call: RepeatableCall?, _ parts: IdentityParts
    ) throws(ServiceError) {
        guard language.isEmpty || Applicant.isLanguage(language) else {
            throw ServiceError(.invalidArgument, fields: ["language"])
        }
        self.origin = CallOrigin(origin, hash: parts.keys.audit)
        device = SignInDevice(origin)
        self.language = language.isEmpty ? parts.settings.defaultLanguage : language
        self.guest = guest
        self.call = call
    }
}
