/// The mails that identity has sent (N-01), by the names that notification's templates have.
enum IdentityMail: Hashable, Sendable {
    /// Prove that this address is yours, by a link (G-02, G-12).
    case verifyEmail(link: String)
    /// Somebody tried to sign up with your address. No link: it may have been a stranger.
    case emailAlreadyRegistered

    /// The template's name.
    var template: String {
        switch self {
        case .verifyEmail: "verify-email"
        case .emailAlreadyRegistered: "email-already-registered"
        }
    }

    /// What stands for this one mail in it.
    var variables: [(name: String, value: String)] {
        switch self {
        case .verifyEmail(let link): [("link", link)]
        case .emailAlreadyRegistered: []
        }
    }
}
