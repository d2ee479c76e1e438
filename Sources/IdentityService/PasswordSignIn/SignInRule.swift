import ServiceRuntime

/// Whether a sign-in with a password succeeds (G-03, X-02):
///
///     account      password    answer
///     none         any         auth/invalid-credential
///     any          wrong       auth/invalid-credential
///     active       right       signed in
///     pending      right       auth/email-not-verified, told only to who has the password (G-02)
///     any other    right       auth/user-disabled, likewise
enum SignInRule {
    /// Why it is refused; nil where it is not.
    static func refusal(of status: AccountStatus?, isPasswordRight: Bool) -> ErrorCode? {
        guard let status, isPasswordRight else { return .invalidCredential }
        if status == .pendingVerification { return .emailNotVerified }
        return status.isUsable ? nil : .accountDisabled
    }
}
