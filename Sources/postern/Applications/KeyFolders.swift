import Cryptography
import Glibc
import Hosting
import RPC
import ServiceRuntime

/// Who holds which key, below one folder: `keys/` of `postern up` and of compose alike.
///
///     SERVER/CALLER.KEYID.pub      the public halves of those that may call a server
///     SERVER/SERVER.KEYID.key      a server's own private half, where it calls others
///     gateway/callers              who may call the gateway, and what (`CallersList`)
///     applications/NAME.KEYID.key  the private halves of those outside: backends, and the tool
///     first-start                  there until the first start is complete (`prepare`)
///
/// A server is handed its own folder and nothing else, so whoever takes it over calls as that
/// server, and as no other application (H3).
struct KeyFolders {
    /// Who calls whom; the callers that each program's description names.
    static let callers: [String: [String]] = [
        "gateway": ["app", "tool"],
        "identity": ["gateway", "session", "notification", "tool"],
        "session": ["gateway", "identity", "notification", "tool"],
        "rate-limit": ["gateway", "notification", "tool"],
        "notification": ["identity", "tool"],
    ]

    /// Those whose keys are made: the developer's own backend, the operator's tool, and the
    /// programs that call others.
    static let applications = Set(callers.values.joined()).sorted()

    let path: String

    /// The folder that a server is handed.
    func server(_ name: String) -> String { "\(path)/\(name)" }

    /// Where the private halves of those outside are.
    var outside: String { "\(path)/applications" }

    /// Where the private half of an application is.
    func home(of application: String) -> String {
        Endpoints.services.contains(application) ? server(application) : outside
    }

    /// The callers of the gateway.
    var gatewayCallers: CallersFile { CallersFile(path: "\(server("gateway"))/callers") }

    /// The files of the private halves of an application, and of its older shared keys.
    func privateFiles(of application: String) throws -> [ApplicationKeyName] {
        try ApplicationKeyName.all(of: application, in: home(of: application))
            .filter { $0.kind != .verifying }
    }

    /// An id that no key of an application has: `k1`, `k2`, …
    func nextKeyID(of application: String) throws -> String {
        let folders = Endpoints.services.map(server) + [outside]
        let numbers = try folders.flatMap { try ApplicationKeyName.all(of: application, in: $0) }
            .compactMap { Int($0.keyID.drop { !$0.isNumber }) }
        return "k\((numbers.max() ?? 0) + 1)"
    }

    /// Makes another key of an application: the public half first, so that no proof by the new key
    /// comes to a server that has yet to see it.
    /// - Returns: the file of the private half.
    func makeKey(of application: String, for servers: [String]) throws -> String {
        let keyID = try nextKeyID(of: application)
        let text = Ed25519SigningKey.generatePEM(randomness: KeyRandomness())
        guard let key = try Ed25519SigningKey(pem: text) else {
            throw ToolError.badInput("the new key cannot be read back")
        }
        for server in servers {
            try write(key.verifyingKey.pem, of: application, keyID, for: server)
        }
        let file = "\(home(of: application))/\(application).\(keyID).key"
        try create(file, text)
        return file
    }

    /// Gives a server the public half of a key.
    func write(
        _ pem: [UInt8], of application: String, _ keyID: String, for server: String
    ) throws {
        let name = ApplicationKeyName(
            application: application, keyID: keyID, kind: .verifying)
        try replace("\(self.server(server))/\(name.fileName)", SecretBytes(copying: pem))
    }

    /// Writes a file unless it is there with this content.
    func replace(_ file: String, _ content: SecretBytes) throws {
        if access(file, F_OK) == 0 {
            guard try SecretFile.readPublic(file) != content else { return }
            try remove(file)
        }
        try create(file, content)
    }

    func remove(_ file: String) throws {
        guard unlink(file) == 0 || errno == ENOENT else { throw ToolError.system(file, errno) }
    }

    private func create(_ file: String, _ content: SecretBytes) throws {
        try SecretFile.create(file, content)
        try Self.handToFoldersOwner(file)
    }

    /// Run by root, the tool must leave files that their folder's owner can read, a container's
    /// user.
    static func handToFoldersOwner(_ file: String) throws {
        var status = stat()
        let folder = file[..<(file.lastIndex(of: "/") ?? file.endIndex)]
        guard geteuid() == 0, stat(String(folder), &status) == 0 else { return }
        guard chown(file, status.st_uid, status.st_gid) == 0 else {
            throw ToolError.system(file, errno)
        }
    }
}
