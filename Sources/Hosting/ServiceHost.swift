import Contracts
import CoreMetrics
package import Cryptography
import Glibc
package import Logging
package import NIOPosix
package import RPC
package import ServiceRuntime
package import Storage

/// What a program gets to assemble its service.
package struct ServiceHost: Sendable {
    /// The settings that all programs share.
    package let settings: HostSettings
    /// The system's clocks.
    package let time: any Time
    /// The system's randomness.
    package let randomness: any Randomness
    /// The program's log.
    package let logger: Logger
    /// The program's metrics.
    package let metrics: MetricsRegistry
    /// The event loops.
    package let group: MultiThreadedEventLoopGroup
    let description: ProgramDescription
    var observation = HostObservation()
    let peerCredentials = PeerCredentials()
    /// The parts that only some calls need. Health reports those that fail.
    package let parts = ProgramParts()
    let peers = PeerWatches()

    /// Logs a setting whose value is for development only. Not under `postern up`, where it is the
    /// default that makes a first try work, and `ready` names it.
    package func warnOfDevelopment(
        _ code: StaticString, _ message: StaticString, setting: StaticString
    ) {
        guard !settings.isTiedToInput else { return }
        logger.warning(code, message, fields: [.setting: .text("\(setting)")])
    }

    /// Logs a setting that does not do what it seems to, at the start. Readiness has the same
    /// sentence, so that `postern status` shows it as long as the program runs.
    package func warnOfSetting(
        _ code: StaticString, _ message: StaticString, setting: StaticString
    ) {
        logger.warning(code, message, fields: [.setting: .text("\(setting)")])
        parts.warn("\(message)")
    }

    /// The 32-byte key `<name>.key` of the keys folder. Created if it is missing, so that a first
    /// start needs no preparation. Values sealed under a lost key cannot be opened.
    /// - Throws: `SecretFileError`.
    package func key(_ name: String) throws -> SecretBytes {
        let path = keyFile(name)
        if access(path, F_OK) != 0 { try makeKey(path) }
        return try SecretFile.readKey(path)
    }

    /// Creates the key, completely or not at all. When another program that starts at the same time
    /// creates it first, that key is used.
    /// - Throws: `SecretFileError`.
    private func makeKey(_ path: String) throws {
        do {
            try SecretFile.makeFolder(settings.keysFolder)
            try SecretFile.create(path, .generate(count: 32, randomness: KeyRandomness()))
            logger.info("process.key.created", "created a key file", fields: [.file: .text(path)])
        } catch SecretFileError.unreadable(_, errno: EEXIST) {
            // The caller reads the existing key.
        }
    }

    /// The key with that name, which seals a store. Called before the store is opened: the key is
    /// created only while the store does not exist. A store that does not exist although its key
    /// does is created, with a warning.
    /// - Throws: `StartError`, `SecretFileError`; of a store on a server `StoreError`, `SQLError`.
    func masterKey(_ name: String, ofStore store: String) throws -> SecretBytes {
        let (path, place) = (keyFile(name), try place(ofStore: store))
        let hasKey = access(path, F_OK) == 0
        let hasStore = try place.hasStore(time: time, logger: logger)
        guard hasKey || !hasStore else {
            // With a new key, nothing in the store could be opened: each account would be unknown.
            throw StartError(
                "\(path) is missing, and \(place.location) was sealed under it: put the key back, "
                    + "or move the store away to start with an empty one")
        }
        if hasKey, !hasStore {
            // No error, since docker/compose/secrets.sh makes keys before the first start.
            logger.warning(
                "store.created",
                """
                a new, empty store is made: if this installation had users, its volume is not \
                mounted, its restore failed, or store-url names another database
                """, fields: [.file: .text(place.location)])
        }
        return try key(name)
    }

    /// The key with that name, which another service has too. Beside an existing store a missing
    /// one is an error: a new key would not be the other service's. Called before the store is
    /// opened.
    /// - Parameters:
    ///   - other: the other service, for the error's advice.
    ///   - store: the name of this service's store.
    /// - Throws: `StartError` if the key is missing beside a store, `SecretFileError`; of a store
    ///   on a server `StoreError`, `SQLError`.
    package func key(
        _ name: String, sharedWith other: String, besideStore store: String
    ) throws -> SharedKey {
        let path = keyFile(name)
        if access(path, F_OK) != 0 {
            let hasStore = try place(ofStore: store).hasStore(time: time, logger: logger)
            guard !hasStore else {
                throw StartError(
                    "\(path) is missing, and \(other) has the same key: copy its file here; if it "
                        + "is lost there too, write 32 random bytes into it for both (mode 600), "
                        + "and restart both")
            }
        }
        return SharedKey(name: name, value: try key(name))
    }

    /// A key that two services have alike.
    package struct SharedKey: Sendable {
        let name: String
        /// The key.
        package let value: SecretBytes
    }

    /// Where the store with that name is.
    private func place(ofStore name: String) throws -> StorePlace {
        try settings.store.place(of: name, folder: settings.dataFolder)
    }

    /// The path of the key with that name.
    func keyFile(_ name: String) -> String { "\(settings.keysFolder)/\(name).key" }

    /// A value that a store contains to recognise its master key at the next start: a keyed hash
    /// with a purpose of its own, which reveals nothing about the key.
    package static func storeCheck(of master: SecretBytes) -> [UInt8] {
        KeyedHash(master: master, purpose: "hosting/store check").hash([UInt8]())
    }

    /// The id of a master key, by which people distinguish keys: the first 8 hexadecimal digits of
    /// the value that its store recognises it by.
    package static func keyID(ofCheck check: [UInt8]) -> String { Hex.encode(check.prefix(4)) }

    /// Opens the service's store, and makes its keys from the master key `<key>.key`, which must be
    /// the one that the store was created with.
    /// - Parameters:
    ///   - shared: a key that another service has too. A store on a server knows it, so that each
    ///     machine has the same.
    ///   - keys: makes the keys from the master key.
    ///   - settlingCopy: ends what must not come back with a restored copy
    ///     (`Store.settleRestoredCopy`). It is required, so that no service starts without it.
    /// - Throws: `StartError`, `SecretFileError`, `CryptographyError`, `StoreError`, `SQLError`;
    ///   what the closures throw.
    package func openStore<Keys: StoreKeys>(
        _ name: String, key: String, sharing shared: SharedKey? = nil, migrations: [Migration],
        keys: (SecretBytes) throws -> Keys, settlingCopy: (Store) async throws -> Void
    ) async throws -> (store: Store, keys: Keys) {
        let master = try masterKey(key, ofStore: name)
        let trail = AuditTrail(
            keys: try AuditKeys(master: master, service: description.application),
            keptFor: settings.auditRetention, randomness: randomness)
        let store = try Store(
            place: try place(ofStore: name), migrations: migrations,
            acceptsClock: settings.acceptsClock, auditTrail: trail, time: time,
            randomness: randomness, logger: logger)
        let keys = try keys(master)
        store.report(to: parts)
        try await store.requireKey(check: Self.storeCheck(of: master), file: keyFile(key)) {
            try keys.openOldest(in: $0, limit: $1)
        }
        if let shared {
            try await store.requireSharedKey(
                shared.name, check: Self.storeCheck(of: shared.value), file: keyFile(shared.name))
        }
        try await settlingCopy(store)
        return (store, keys)
    }

    /// The applications of these names with their keys in the applications folder, which are read
    /// again when they change, for a service that verifies application tokens itself. They need not
    /// be its callers. One without a key is not an error: its tokens are rejected.
    /// - Throws: `ApplicationsError`, `SecretFileError` and `CryptographyError` for a key file.
    package func tokenSigners(
        _ names: [String]
    ) throws -> (applications: Reloadable<Applications>, watched: [CredentialWatch.Credential]) {
        guard !names.isEmpty else { return (Reloadable(.empty), []) }
        let (folder, callers) = (
            settings.applicationsFolder, CallersList(names, assertingClientAddress: [])
        )
        let sharedKeys = SharedKeyRule(
            ours: ProgramDescription.ourApplications, acceptsOthers: settings.acceptsSharedKeys)
        let keys = try CredentialWatch.Credential.following(
            .tokenSigners, paths: [folder],
            read: {
                try Applications(
                    folder: folder, callers: callers, needsKeys: false, sharedKeys: sharedKeys)
            })
        return (keys.value, [keys.watched])
    }

    /// A channel to a peer, authenticated as this program's application.
    /// - Throws: An error about a credential file, and `ApplicationsError` for a program without
    ///   usable credentials.
    package func channel(
        to peer: PeerSettings, connectTimeout: Duration = .seconds(2),
        streamCredit: UInt32 = FrameLimits.streamCredit
    ) throws -> RPCClient {
        var security = try peerCredentials.security(
            of: description.application, settings, time: time)
        security.serverName = peer.certificateName
        let client = RPCClient(
            ClientSettings(
                service: peer.service, addresses: peer.addresses,
                application: description.application, security: security,
                connectTimeout: connectTimeout, streamCredit: streamCredit),
            group: group, time: time, randomness: randomness, logger: logger, metrics: metrics,
            observation: observation.client)
        peers.add(peer.service, client, parts, time)
        return client
    }
}
