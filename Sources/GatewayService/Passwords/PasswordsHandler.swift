import Contracts

/// `postern.gateway.v1.Passwords`: forgotten and changed passwords (G-11, G-12).
struct PasswordsHandler: PasswordsService {
    let accounts: any AccountsAPI
    let credentials: any CredentialsAPI
    let sessions: any SessionsAPI
    let tokens: TokenAccounts
    let limits: RateLimiter
}
