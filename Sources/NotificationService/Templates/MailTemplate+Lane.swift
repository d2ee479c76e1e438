extension MailTemplate {
    /// How urgent it is (N-06).
    package var lane: Lane {
        switch self {
        case .verifyEmail, .emailAlreadyRegistered, .sessionReplayed: .security
        case .sessionDisplaced: .notice
        }
    }
}
