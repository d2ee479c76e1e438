import Addresses
import JSON
import ServiceRuntime

/// The details of an identity beside its look-up hash, sealed under its account's key. They are as
/// the issuer reported them when the identity was linked.
struct IdentityDetails: Hashable, Sendable {
    let issuer: String
    let subject: String
    /// As the issuer reported it, verified or not; empty for none.
    let email: String
    /// Whether the email is a relay address of the provider.
    let isRelay: Bool
    let displayName: String

    /// The details that a token or a phone code proved.
    init(_ proved: ProvedIdentity) {
        issuer = proved.issuer
        subject = proved.subject
        email = proved.email?.address.entered ?? ""
        isRelay = proved.email?.isRelay ?? false
        displayName = ShownProfile(proved).displayName ?? ""
    }

    /// The text that is sealed: JSON, so that a later version can add fields.
    var text: String {
        JSONWriter.text([
            "issuer": .string(issuer), "subject": .string(subject), "email": .string(email),
            "relay": .boolean(isRelay), "name": .string(displayName),
        ])
    }

    /// Parses `text`.
    /// - Throws: `rpc/internal` if it is malformed: only this service writes it.
    init(text: String) throws(ServiceError) {
        guard let details = JSONReader.object(in: Array(text.utf8)),
            let issuer = details["issuer"]?.string, let subject = details["subject"]?.string
        else { throw ServiceError(.internalError, detail: "an identity's details are malformed") }
        self.issuer = issuer
        self.subject = subject
        email = details["email"]?.string ?? ""
        isRelay = details["relay"] == .boolean(true)
        displayName = details["name"]?.string ?? ""
    }

    /// A hint by which the owner recognises the identity: the email, or the last digits of a phone
    /// number.
    func hint(method: String) -> String {
        method == "phone" ? "…" + subject.suffix(Self.digitsShown) : email
    }

    private static let digitsShown = 4
}
