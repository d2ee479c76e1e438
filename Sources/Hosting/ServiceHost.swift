import Contracts
import CoreMetrics
package import Cryptography
import Glibc
package import Logging
package import NIOPosix
package import RPC
package import ServiceRuntime

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
            try SecretFile.create(path, .generate(count: 32, randomness: KeyRandomness()))
            logger.info("process.key.created", "created a key file", fields: [.file: .text(path)])
        } catch SecretFileError.unreadable(_, errno: EEXIST) {
            // The caller reads the existing key.
        }
    }

    /// The key with that name, which seals a store. Call it before the store is opened: the key is
    /// created only while the store does not exist.
    /// - Throws: `LostKeyError`, `SecretFileError`.
    package func masterKey(_ name: String, ofStore store: String) throws -> SecretBytes {
        let path = keyFile(name)
        let file = "\(settings.dataFolder)/\(store).sqlite"
        guard access(path, F_OK) == 0 || access(file, F_OK) != 0 else {
            throw LostKeyError(key: path, store: file)
        }
        return try key(name)
    }

    /// The path of the key with that name.
    package func keyFile(_ name: String) -> String { "\(settings.keysFolder)/\(name).key" }

    /// A value that a store keeps to recognise its master key at the next start: a keyed hash with
    /// a purpose of its own, which reveals nothing about the key.
    package static func storeCheck(of master: SecretBytes) -> [UInt8] {
        KeyedHash(master: master, purpose: "hosting/store check").hash([UInt8]())
    }

    /// A channel to a peer, authenticated as this program's application.
    /// - Throws: An error about a credential file, and `ApplicationsError` for a program without
    ///   usable credentials.
    package func channel(
        to peer: PeerSettings, connectTimeout: Duration = .seconds(2)
    ) throws -> RPCClient {
        var security = try peerCredentials.security(
            of: description.application, settings, time: time)
        security.serverName = peer.certificateName
        let client = RPCClient(
            ClientSettings(
                service: peer.service, addresses: peer.addresses,
                application: description.application, security: security,
                connectTimeout: connectTimeout),
            group: group, time: time, randomness: randomness, logger: logger, metrics: metrics,
            observation: observation.client)
        peers.add(peer.service, client, parts, time)
        return client
    }
}
