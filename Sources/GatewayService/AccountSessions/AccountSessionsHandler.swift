import Contracts

/// `postern.gateway.v1.AccountSessions`: re-authentication (G-13). Session serves the other
/// methods.
struct AccountSessionsHandler: AccountSessionsService {
    let accounts: any AccountsAPI
    let identities: any IdentitiesAPI
    let codes: any PhoneCodesAPI
    let secondProofs: any SecondProofsAPI
    let tokens: TokenAccounts
    let devices: any DevicesAPI
    let limits: RateLimiter
}
