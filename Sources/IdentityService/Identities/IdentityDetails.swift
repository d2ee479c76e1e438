import Cryptography
import EmailAddresses
import ServiceRuntime

/// What is kept of an identity beside the hash that it is found by, sealed under its account's key:
/// as it was told when it was linked.
struct IdentityDetails: Hashable, Sendable {
    let issuer: String
    let subject: String
    /// As the issuer told it, verified or not; empty for none.
    let email: String
    /// The email is a relay of the provider's.
    let isRelay: Bool
    let displayName: String

    /// What a token or a code told.
    init(_ proved: ProvedIdentity) {
        issuer = proved.issuer
        subject = proved.subject
        email = proved.email?.address.entered ?? ""
        isRelay = proved.email?.isRelay ?? false
        displayName = ShownProfile(proved).displayName ?? ""
    }

    /// As it is sealed: JSON, so that a later version can add to it.
    var text: String {
        JSONWriter.text([
            "issuer": .string(issuer), "subject": .string(subject), "email": .string(email),
            "relay": .boolean(isRelay), "name": .string(displayName),
        ])
    }

    /// Reads what `text` wrote.
    /// - Throws: `rpc/internal` for anything else: only this program writes it.
    init(text: String) throws(ServiceError) {
        guard let details = JSONReader.object(in: Array(text.utf8)),
            let issuer = details["issuer"]?.string, let subject = details["subject"]?.string
        else { throw ServiceError(.internalError, detail: "an identity's details do not read") }
        self.issuer = issuer
        self.subject = subject
        email = details["email"]?.string ?? ""
        isRelay = details["relay"] == .boolean(true)
        displayName = details["name"]?.string ?? ""
    }

    /// What its owner knows it by: the email, or the last digits of a phone number.
    func hint(method: String) -> String {
        method == "phone" ? "…" + subject.suffix(Self.digitsShown) : email
    }

    private static let digitsShown = 4
}
