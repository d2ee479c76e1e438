import Contracts

/// `postern.gateway.v1.AccountSessions`: the sessions of the caller's account, and
/// re-authentication (G-13, G-22, G-30, S-06). Each rpc is in the file of its name: `listSessions`,
/// `endSession`, `endOtherSessions`, `noteActivity`, `reauthenticate`, `checkRecentProof`.
struct AccountSessionsHandler: AccountSessionsService {
    let accounts: any AccountsAPI
    let identities: any IdentitiesAPI
    let codes: any PhoneCodesAPI
    let sessions: any SessionsAPI
    let devices: any DevicesAPI
    let activity: any AccountActivityAPI
    let limits: RateLimiter
}
