package import Contracts

/// `postern.gateway.v1.Passwords`: forgotten and changed passwords (G-11, G-12). Each rpc is
/// in the file of its name: `requestPasswordReset`, `resetPassword`, `changePassword`.
package struct PasswordsHandler: PasswordsService {
    let accounts: any AccountsAPI
    let credentials: any CredentialsAPI
    let sessions: any SessionsAPI
    let limits: RateLimiter

    /// Creates the handler over clients of the services.
    package init(
        accounts: any AccountsAPI, credentials: any CredentialsAPI, sessions: any SessionsAPI,
        limits: RateLimiter
    ) {
        self.accounts = accounts
        self.credentials = credentials
        self.sessions = sessions
        self.limits = limits
    }
}
