import Cryptography
import Glibc
import Hosting
import RPC
import ServiceRuntime

/// The application keys and their places, below one folder: `keys/` of `postern up` and of compose.
///
///     SERVER/CALLER.KEYID.pub      public keys of the callers of a server
///     SERVER/SERVER.KEYID.key      a server's own private key, if it calls others
///     gateway/callers              the gateway's callers and their permissions (`CallersList`)
///     applications/NAME.KEYID.key  private keys of external applications: backends, and the tool
///     first-start                  exists until the first start is complete (`prepare`)
///
/// A server gets only its own folder. An attacker who takes the server over can therefore call as
/// that server, and as no other application (H3).
struct KeyFolders {
    /// The callers of each server. Each program's description names the same ones, in the same order
    /// (`CallerListTests`).
    static let callers: [String: [String]] = [
        "gateway": ["app", "tool", "web"],
        "identity": ["gateway", "session", "notification", "tool"],
        "session": ["gateway", "identity", "notification", "tool"],
        "rate-limit": ["gateway", "identity", "notification", "tool"],
        "notification": ["identity", "tool"],
    ]

    /// Applications for which keys are created: the developer's own backend, the operator's tool,
    /// and the programs that call others.
    static let applications = Set(callers.values.joined()).sorted()

    let path: String

    /// The folder that a server gets.
    func server(_ name: String) -> String { "\(path)/\(name)" }

    /// The folder of the private keys of external applications.
    var outside: String { "\(path)/applications" }

    /// The folder of an application's private key.
    func home(of application: String) -> String {
        Endpoints.programs.contains(application) ? server(application) : outside
    }

    /// The gateway's list of callers.
    var gatewayCallers: CallersFile { CallersFile(path: "\(server("gateway"))/callers") }

    /// The files of an application's private keys, and of its older shared keys.
    func privateFiles(of application: String) throws -> [ApplicationKey.Name] {
        try ApplicationKey.Name.all(of: application, in: home(of: application))
            .filter { $0.kind != .verifying }
    }

    /// An id that no key of the application has: `k1`, `k2`, …
    func nextKeyID(of application: String) throws -> String {
        let folders = Endpoints.programs.map(server) + [outside]
        let numbers = try folders.flatMap { try ApplicationKey.Name.all(of: application, in: $0) }
            .compactMap { Int($0.keyID.drop { !$0.isNumber }) }
        return "k\((numbers.max() ?? 0) + 1)"
    }

    /// Creates another key of an application. The public key is written first, so that no proof by
    /// the new key reaches a server that does not know it yet.
    /// - Returns: the file of the private key.
    func makeKey(of application: String, for servers: [String]) throws -> String {
        let keyID = try nextKeyID(of: application)
        let text = Ed25519SigningKey.generatePEM(randomness: KeyRandomness())
        guard let key = try Ed25519SigningKey(pem: text) else {
            throw ToolError("the new key cannot be read back")
        }
        for server in servers {
            try write(key.verifyingKey.pem, of: application, keyID, for: server)
        }
        let file = "\(home(of: application))/\(application).\(keyID).key"
        try create(file, text)
        return file
    }

    /// Writes the public key to a server's folder.
    func write(
        _ pem: [UInt8], of application: String, _ keyID: String, for server: String
    ) throws {
        let name = ApplicationKey.Name(
            application: application, keyID: keyID, kind: .verifying)
        try replace("\(self.server(server))/\(name.fileName)", SecretBytes(copying: pem))
    }

    /// Writes a file unless it exists with this content.
    func replace(_ file: String, _ content: SecretBytes) throws {
        if access(file, F_OK) == 0 {
            guard try SecretFile.readPublic(file) != content else { return }
            try remove(file)
        }
        try create(file, content)
    }

    /// Removes a file; one that does not exist is no error. Durable on return: a removed key would
    /// otherwise be back after a power failure, and permit calls again.
    func remove(_ file: String) throws {
        if unlink(file) == 0 {
            guard Files.sync(Files.folder(of: file)) else { throw ToolError.system(file, errno) }
        } else if errno != ENOENT {
            throw ToolError.system(file, errno)
        }
    }

    private func create(_ file: String, _ content: SecretBytes) throws {
        try SecretFile.create(file, content)
        try Self.handToFoldersOwner(file)
    }

    /// Run by root, the tool gives new files to the owner of their folder, so that a container's
    /// user can read them.
    static func handToFoldersOwner(_ file: String) throws {
        var status = stat()
        let folder = file[..<(file.lastIndex(of: "/") ?? file.endIndex)]
        guard geteuid() == 0, stat(String(folder), &status) == 0 else { return }
        guard chown(file, status.st_uid, status.st_gid) == 0 else {
            throw ToolError.system(file, errno)
        }
    }
}
