import Cryptography
import Glibc
import Hosting
import RPC
import ServiceRuntime

/// Creates the keys that `postern up` passes to its programs, and migrates a folder of earlier
/// builds, whose keys were shared (`applications/NAME.k1.key` of 32 bytes, read by all servers):
///
///     key found                       afterwards
///     none                            a new pair
///     of our programs, shared         a new pair; the old key is deleted
///     of an application, shared       copied to the gateway only: still valid, with a warning
///     a private key                   its public key at each server that it calls
///
/// The keys of other applications are published at the first start only: an application that the
/// operator has shut out later, by removing its key from the gateway, must stay out. The file
/// `first-start` is created before anything else and removed last, so that after a crash in between
/// the next start is still the first. A folder of an earlier build has none: its first start is
/// over.
extension KeyFolders {
    private var firstStart: String { "\(path)/first-start" }

    /// Creates missing keys and folders.
    /// - Returns: the applications that still authenticate with a shared key.
    func prepare() throws -> [String] {
        for step in steps { try step() }
        return try ApplicationKey.Name.all(in: server("gateway"))
            .filter { $0.kind == .secret && $0.application != "gateway" }.map(\.application)
    }

    /// The steps of `prepare`, in order. Each step creates what is missing and replaces no valid
    /// key, so that the next start continues where a crash ended this one.
    var steps: [() throws -> Void] {
        var steps: [() throws -> Void] = [
            beginFirstStart, makeFolders, gatewayCallers.prepare, permitWeb,
        ]
        for application in Self.applications {
            if ProgramDescription.ourApplications.contains(application) {
                steps.append { try removeSharedKeys(of: application) }
            }
            steps.append { try makeFirstKey(of: application) }
            for (server, callers) in Self.callers where callers.contains(application) {
                steps.append { try publish(application, to: server) }
            }
        }
        return steps + [publishOthers, endFirstStart]
    }

    private func beginFirstStart() throws {
        guard access(server("gateway"), F_OK) != 0 else { return }
        try replace(firstStart, SecretBytes(copying: Array("not complete\n".utf8)))
    }

    private func endFirstStart() throws {
        try remove(firstStart)
    }

    private func makeFolders() throws {
        for folder in ["applications"] + Endpoints.programs {
            guard Files.makeFolder("\(path)/\(folder)") else {
                throw ToolError.system("\(path)/\(folder)", errno)
            }
        }
    }

    /// Permits the web service at the gateway, before it has a key: an operator who removes the
    /// line later has removed it for good.
    private func permitWeb() throws {
        guard try privateFiles(of: "web").isEmpty else { return }
        try gatewayCallers.add(
            "web", ["client-address", "application-tokens", "public-methods"])
    }

    /// Creates the key without servers: `publish` copies it to them, also after a crash in between.
    private func makeFirstKey(of application: String) throws {
        if try privateFiles(of: application).isEmpty { _ = try makeKey(of: application, for: []) }
    }

    /// Deletes shared keys where earlier builds kept them: in the folder of external applications.
    private func removeSharedKeys(of application: String) throws {
        for name in try ApplicationKey.Name.all(of: application, in: outside)
        where name.kind == .secret {
            let file = "\(outside)/\(name.fileName)"
            if try ApplicationKey(file: file).isShared { try remove(file) }
        }
    }

    /// Copies to a server what it needs to verify an application: public keys, and older shared
    /// keys.
    private func publish(_ application: String, to server: String) throws {
        for name in try ApplicationKey.Name.all(of: application, in: home(of: application)) {
            let file = "\(home(of: application))/\(name.fileName)"
            let copy = "\(self.server(server))/\(name.fileName)"
            guard name.kind != .verifying else {
                try replace(copy, SecretFile.readPublic(file))
                continue
            }
            switch try ApplicationKey(file: file).key {
            case let key as Ed25519SigningKey:
                try write(key.verifyingKey.pem, of: application, name.keyID, for: server)
            default: try replace(copy, SecretFile.read(file))
            }
        }
    }

    /// Publishes the keys of other applications to the gateway. Earlier builds showed them to all
    /// servers, but backends call only the gateway.
    private func publishOthers() throws {
        guard access(firstStart, F_OK) == 0 else { return }
        let others = try ApplicationKey.Name.all(in: outside).map(\.application)
            .filter { !Self.applications.contains($0) && !Endpoints.programs.contains($0) }
        for application in Set(others) { try publish(application, to: "gateway") }
    }
}
