import CallRecords
import Messages
import ServiceRuntime

/// How a sign-in by a proved identity was asked for, read and checked.
struct FederatedSignInCall: Sendable {
    let origin: CallOrigin
    /// As the owner may be told of it.
    let device: SignInDevice
    /// Of mails to a new account.
    let language: String
    /// Whose session asks, as the session service says (`SessionOwners`): a guest is upgraded, who
    /// has an account is refused; nil outside a session.
    var guest: SessionOwner?
    /// For a repeat; nil where the call carries no key. Its fingerprint holds the identity
    /// (`IdentityKeys.lookUpKey(of:)`), since a repeat is answered only to who proves it again.
    let call: RepeatableCall?

    /// Reads what a request says beside its proof.
    /// - Parameter language: BCP 47; empty takes the default.
    /// - Throws: `rpc/invalid-argument` for what is no language.
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
