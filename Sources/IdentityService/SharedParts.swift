import Contracts
import Cryptography
import Logging
import Metrics
import RPC
import ServiceRuntime
import Storage

/// What several handlers of identity share.
struct SharedParts: Sendable {
    /// Makes the accounts of answers.
    let answers: AccountAnswers
    /// Finds the owners of sessions.
    let owners: SessionOwners
    /// Makes the frames of calls.
    let calls: AccountCalls
    /// Compares passwords and judges new ones.
    let check: PasswordCheck
    /// Verifies the tokens of providers.
    let providers: Providers
    /// Verifies the responses of passkeys.
    let passkeys: PasskeyCheck
    /// Where providers' codes are exchanged.
    let grantEndpoints: GrantEndpoints
    /// Signs in by what a provider or a code has proved.
    let signIn: FederatedSignIn
    /// Adds a method to an account.
    let adding: MethodAdding

    /// - Throws: as `IdentityService.init`.
    init(
        _ settings: IdentitySettings, _ store: Store, _ writer: AccountWriter,
        _ facts: any AccountFactsSource, _ peers: IdentityPeers,
        _ backends: Reloadable<Applications>, _ time: any Time, _ logger: Logger,
        _ metrics: any MetricsFactory
    ) throws {
        let passwords = try PasswordHashPool(
            settings: settings.passwordHashing, time: time, randomness: writer.randomness,
            metrics: metrics)
        let floor = ResponseTimeFloor(
            store: store, passwords: passwords, time: time, logger: logger)
        let breached = try settings.breachedPasswords.makeBreachedPasswords(
            trustFile: settings.providers.trustFile, time: time, logger: logger, metrics: metrics)
        check = PasswordCheck(
            store: store, writer: writer, passwords: passwords, responseTimeFloor: floor,
            breached: breached, mode: settings.passwordSignIn, time: time)
        answers = AccountAnswers(settings: settings, store: store, writer: writer, facts: facts)
        owners = SessionOwners(
            store: store, writer: writer, settings: settings, devices: peers.devices,
            sessions: peers.sessions)
        calls = AccountCalls(
            keys: writer.keys, sessions: peers.sessions,
            backends: try BackendCalls(settings, applications: backends, time: time), time: time)
        providers = try Providers(
            settings: settings.providers, keys: writer.keys, time: time,
            randomness: writer.randomness, logger: logger)
        passkeys = PasskeyCheck(
            settings: settings, store: store, writer: writer, time: time, logger: logger)
        grantEndpoints = try settings.makeGrantEndpoints(time: time, logger: logger)
        signIn = FederatedSignIn(
            settings: settings, store: store, writer: writer, answers: answers,
            grantEndpoints: grantEndpoints)
        adding = MethodAdding(
            store: store, writer: writer, grantEndpoints: grantEndpoints,
            newcomers: settings.newcomers)
    }
}
