package import Contracts

/// `postern.gateway.v1.AccountSessions`: the sessions of the caller's account, and
/// re-authentication (G-13, G-22, S-06). Each rpc is in the file of its name: `listSessions`,
/// `endSession`, `endOtherSessions`, `reauthenticate`, `checkRecentProof`.
package struct AccountSessionsHandler: AccountSessionsService {
    let accounts: any AccountsAPI
    let identities: any IdentitiesAPI
    let codes: any PhoneCodesAPI
    let sessions: any SessionsAPI
    let devices: any DevicesAPI
    let limits: RateLimiter

    /// Creates the handler over clients of the identity and session services.
    package init(
        accounts: any AccountsAPI, identities: any IdentitiesAPI, codes: any PhoneCodesAPI,
        sessions: any SessionsAPI, devices: any DevicesAPI, limits: RateLimiter
    ) {
        self.accounts = accounts
        self.identities = identities
        self.codes = codes
        self.sessions = sessions
        self.devices = devices
        self.limits = limits
    }
}
