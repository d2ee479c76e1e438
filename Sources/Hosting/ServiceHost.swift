import Contracts
import CoreMetrics
package import Cryptography
import Glibc
package import Logging
package import NIOPosix
package import RPC
package import ServiceRuntime

/// What a program is given to put its service together.
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
    /// The parts that the program serves without; health names those that fail.
    package let parts = ProgramParts()
    let peers = PeerWatches()

    /// The 32-byte key `<name>.key` of the keys folder; made when there is none, so that a first
    /// start needs nothing prepared. What was sealed under a key that is lost stays sealed.
    package func key(_ name: String) throws -> SecretBytes {
        let path = keyFile(name)
        if access(path, F_OK) != 0 { try makeKey(path) }
        return try SecretFile.readKey(path)
    }

    /// Makes the key, whole or not at all. Another program that starts beside us may be first, and
    /// then its key holds.
    private func makeKey(_ path: String) throws {
        do {
            try SecretFile.create(path, .generate(count: 32, randomness: KeyRandomness()))
            logger.info("process.key.created", "created a key file", fields: [.file: .text(path)])
        } catch SecretFileError.unreadable(_, errno: EEXIST) {
            // Read by the caller, like any key that was there.
        }
    }

    /// The key of that name that seals a store; asked for before the store is opened, and made only
    /// while there is no such store yet.
    /// - Throws: `LostKeyError`, `SecretFileError`.
    package func masterKey(_ name: String, ofStore store: String) throws -> SecretBytes {
        let path = keyFile(name)
        let file = "\(settings.dataFolder)/\(store).sqlite"
        guard access(path, F_OK) == 0 || access(file, F_OK) != 0 else {
            throw LostKeyError(key: path, store: file)
        }
        return try key(name)
    }

    /// The file of the key of that name.
    package func keyFile(_ name: String) -> String { "\(settings.keysFolder)/\(name).key" }

    /// What a store keeps to know its master key again at the next start: a keyed hash for this
    /// purpose only, which gives nothing of the key away.
    package static func storeCheck(of master: SecretBytes) -> [UInt8] {
        KeyedHash(master: master, purpose: "hosting/store check").hash([UInt8]())
    }

    /// A channel to a peer, as this program's application.
    package func channel(
        to peer: PeerSettings, connectPatience: Duration = .seconds(2)
    ) throws -> RPCClient {
        var security = try peerCredentials.security(
            of: description.application, settings, time: time)
        security.serverName = peer.certificateName
        let client = RPCClient(
            ClientSettings(
                service: peer.service, addresses: peer.addresses,
                application: description.application, security: security,
                connectPatience: connectPatience),
            group: group, time: time, randomness: randomness, logger: logger, metrics: metrics,
            observation: observation.client)
        peers.add(peer.service, client, parts, time)
        return client
    }
}
