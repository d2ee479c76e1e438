package import Contracts
package import ServiceRuntime
package import Storage

/// `postern.identity.v1.Identities`: identities at providers, guests, and the sign-in methods of an
/// account (G-04 … G-08, G-14, G-15). Each rpc is in the file of its name: `issueNonce`,
/// `signInWithProvider`, `signInAnonymously`, `linkProvider`, `unlink`, `listMethods`,
/// `proveByProvider`.
///
/// The account of a change comes only from the session service (`SessionOwners`), and the identity
/// that a token proves only from the token's verification (`ProviderTokens`). `LinkingRule` and
/// `MethodRule` decide the rest.
package struct IdentitiesHandler: IdentitiesService {
    let settings: IdentitySettings
    let store: Store
    let keys: IdentityKeys
    let randomness: any Randomness
    let keepsGrants: Bool
    let owners: SessionOwners
    let tokens: any ProviderTokens

    /// Creates the handler. `devices` is the session service, which knows the owners of sessions.
    /// - Parameter keepsGrants: Whether Apple's codes are exchanged: the operator has configured
    ///   its key (G-05).
    package init(
        settings: IdentitySettings, store: Store, keys: IdentityKeys, randomness: any Randomness,
        keepsGrants: Bool, devices: any DevicesAPI, providers: Providers
    ) {
        self.init(
            settings: settings, store: store, keys: keys, randomness: randomness,
            keepsGrants: keepsGrants, devices: devices, tokens: providers)
    }

    /// As above, with another verifier of provider tokens.
    init(
        settings: IdentitySettings, store: Store, keys: IdentityKeys, randomness: any Randomness,
        keepsGrants: Bool, devices: any DevicesAPI, tokens: any ProviderTokens
    ) {
        self.settings = settings
        self.store = store
        self.keys = keys
        self.randomness = randomness
        self.keepsGrants = keepsGrants
        owners = SessionOwners(store: store, devices: devices)
        self.tokens = tokens
    }

    var reader: AccountReader { AccountReader(keys: keys, randomness: randomness) }
    var proofs: ProofIssuer { ProofIssuer(keys: keys, randomness: randomness) }
}
