import ServiceRuntime

/// Decides whether a sign-in with a password succeeds (G-03, X-02):
///
///     account      password    result
///     none         any         auth/invalid-credential
///     any          wrong       auth/invalid-credential
///     active       right       signed in
///     pending      right       auth/email-not-verified (G-02)
///     any other    right       auth/user-disabled
///
/// The last two disclose the account's status, so they require the right password.
enum SignInRule {
    /// The error code of a rejection; nil when the sign-in succeeds.
    static func refusal(of status: AccountStatus?, isPasswordRight: Bool) -> ErrorCode? {
        guard let status, isPasswordRight else { return .invalidCredential }
        if status == .pendingVerification { return .emailNotVerified }
        return status.isUsable ? nil : .accountDisabled
    }
}
