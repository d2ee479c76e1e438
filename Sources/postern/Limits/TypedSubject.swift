import Addresses

/// Canonicalises the subject that the operator types in the same way as the gateway: all spellings
/// of an email are one subject, and only hashes of it are stored. `Ada@Example.org` as typed would
/// be another subject without counters, and the user would stay locked out.
enum TypedSubject {
    /// The subject as counted under `limit`; a subject that is not an email is not changed.
    static func counted(_ subject: String, under limit: String) -> String {
        switch limit {
        case "failed-sign-in-by-account", "password-reset-by-email", "mail-by-target":
            return normalised(subject)
        case "sign-up-on-taken-email":
            // ADDRESS|EMAIL. A local part may contain a `|`, an address cannot.
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
