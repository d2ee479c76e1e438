import Cryptography
import Glibc
import Hosting
import RPC

/// Makes what `postern up` hands its programs, and takes over a folder of the builds whose keys
/// were shared (`applications/NAME.k1.key` of 32 bytes, read by all servers):
///
///     key found                       afterwards
///     none                            a new pair
///     of our programs, shared         a new pair; the old key is gone
///     of an application, shared       the gateway alone gets it too: goes on, with a warning
///     a private half                  its public half at each server that it calls
///
/// The keys of other applications are taken over at the first start only: one that the operator
/// shut out later, by taking its key from the gateway, must stay out. The file `first-start` is made
/// before anything else and removed last, so that after a crash in between the next start is still
/// the first. A folder of an earlier build has none: its first start is over.
extension KeyFolders {
    private var firstStart: String { "\(path)/first-start" }

    /// Makes what is missing.
    /// - Returns: the applications that still prove themselves by a shared key.
    func prepare() throws -> [String] {
        for step in steps { try step() }
        return try ApplicationKeyName.all(in: server("gateway"))
            .filter { $0.kind == .secret && $0.application != "gateway" }.map(\.application)
    }

    /// What `prepare` does, in order. Each step makes what is missing and replaces no key that is
    /// good, so that the next start goes on where a crash ended this one.
    var steps: [() throws -> Void] {
        var steps: [() throws -> Void] = [beginFirstStart, makeFolders, gatewayCallers.prepare]
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
        for folder in ["applications"] + Endpoints.services {
            guard mkdir("\(path)/\(folder)", 0o700) == 0 || errno == EEXIST else {
                throw ToolError.system("\(path)/\(folder)", errno)
            }
        }
    }

    /// Without servers: `publish` gives them what they lack, after a crash in between too.
    private func makeFirstKey(of application: String) throws {
        if try privateFiles(of: application).isEmpty { _ = try makeKey(of: application, for: []) }
    }

    /// Where the builds before kept them: beside those of the applications outside.
    private func removeSharedKeys(of application: String) throws {
        for name in try ApplicationKeyName.all(of: application, in: outside)
        where name.kind == .secret {
            let file = "\(outside)/\(name.fileName)"
            if try ApplicationKey(file: file).isShared { try remove(file) }
        }
    }

    /// Gives a server what it needs to know an application: public halves, and older shared keys.
    private func publish(_ application: String, to server: String) throws {
        for name in try ApplicationKeyName.all(of: application, in: home(of: application)) {
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

    /// The keys of other applications, which a folder of the builds before showed to all servers:
    /// backends call the gateway.
    private func publishOthers() throws {
        guard access(firstStart, F_OK) == 0 else { return }
        let others = try ApplicationKeyName.all(in: outside).map(\.application)
            .filter { !Self.applications.contains($0) && !Endpoints.services.contains($0) }
        for application in Set(others) { try publish(application, to: "gateway") }
    }
}
