package import Contracts

/// `postern.gateway.v1.SignInMethods`: the sign-in methods of an account (G-14). Each rpc is in the
/// file of its name: `listSignInMethods`, `linkProvider`, `unlinkMethod`.
package struct SignInMethodsHandler: SignInMethodsService {
    let identities: any IdentitiesAPI
    let sessions: any SessionsAPI
    let limits: RateLimiter

    /// Creates the handler over clients of the services.
    package init(identities: any IdentitiesAPI, sessions: any SessionsAPI, limits: RateLimiter) {
        self.identities = identities
        self.sessions = sessions
        self.limits = limits
    }
}
