import Contracts

/// `postern.gateway.v1.SignInMethods`: the sign-in methods of an account (G-14). Identity serves
/// all but `linkProvider` and `linkPassword`.
struct SignInMethodsHandler: SignInMethodsService {
    let identities: any IdentitiesAPI
    let credentials: any CredentialsAPI
    let tokens: TokenAccounts
    let limits: RateLimiter
}
