import RPC
import ServiceRuntime
import Synchronization

/// The credentials that a program presents to the peers that it calls: its key and its certificate.
/// They are read when a first peer is configured, and reloaded when they change.
final class PeerCredentials: Sendable {
    private struct State {
        var security: ClientSettings.Security?
        var watched: [CredentialWatch.Credential] = []
    }

    private let state = Mutex(State())

    /// The watched files of the credentials that have been read.
    var watched: [CredentialWatch.Credential] { state.withLock { $0.watched } }

    /// The credentials, the same for every peer.
    /// - Throws: An error about a file, and `ApplicationsError` for a program that has neither a
    ///   key nor a certificate, or whose key is shared with its peers.
    func security(
        of application: String, _ settings: HostSettings, time: any Time
    ) throws -> ClientSettings.Security {
        try state.withLock { state in
            if let security = state.security { return security }
            var security = ClientSettings.Security()
            let key = try Self.key(of: application, settings, time)
            security.key = key.value
            var watched = [key.watched]
            if let files = settings.credentials.clientFiles {
                let tls = try CredentialWatch.Credential.following(
                    .clientCertificate, paths: files.paths, expiresAt: { $0.expiresAt },
                    read: { try ClientTLS(files, now: time.now()) })
                security.tls = tls.value
                watched.append(tls.watched)
            }
            state = State(security: security, watched: watched)
            return security
        }
    }

    private static func key(
        of application: String, _ settings: HostSettings, _ time: any Time
    ) throws -> (value: Reloadable<ApplicationKey?>, watched: CredentialWatch.Credential) {
        let folder = settings.applicationsFolder
        let needsKey = settings.credentials.clientFiles?.certificate == nil
        let current: @Sendable () throws -> String? = {
            try ApplicationKey.currentFile(of: application, in: folder, now: time.now())
        }
        return try CredentialWatch.Credential.following(
            .ownKey, paths: [folder],
            // `try?`: `read` reports a folder that cannot be read.
            choice: { (try? current()) ?? "" },
            read: {
                let path = try current()
                let key = try path.map { try ApplicationKey(file: $0) }
                // With a shared key, the peers could call each other as this program.
                if let path, key?.isShared == true {
                    throw ApplicationsError.sharedKey(
                        path, application: application, isOurs: true)
                }
                guard key != nil || !needsKey else {
                    throw ApplicationsError.noKey(application, folder: folder)
                }
                return key
            })
    }
}
