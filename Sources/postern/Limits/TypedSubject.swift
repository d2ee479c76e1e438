import EmailAddresses

/// A subject as the operator types it, and as the gateway has it counted: all spellings of an email
/// that reach one account are one subject there, and only hashes of it are kept. Asked for as it was
/// typed, `Ada@Example.org` would be nobody, and the person stay locked out.
enum TypedSubject {
    /// The subject that is counted under `limit`; what is no email stays as it is.
    static func counted(_ subject: String, under limit: String) -> String {
        switch limit {
        case "failed-sign-in-by-account", "password-reset-by-email", "mail-by-target":
            return normalised(subject)
        case "sign-up-on-taken-email":
            // ADDRESS|EMAIL. A local part may have a `|` in it, an address has none.
            guard let bar = subject.firstIndex(of: "|") else { return subject }
            let email = subject[subject.index(after: bar)...]
            return "\(subject[..<bar])|\(normalised(String(email)))"
        default: return subject
        }
    }

    private static func normalised(_ email: String) -> String {
        guard let address = EmailAddress(email) else { return email }
        return String(decoding: address.normalised, as: UTF8.self)
    }
}
