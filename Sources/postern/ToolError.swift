import Glibc

/// Why the tool cannot do what it was asked; each says what to do.
enum ToolError: Error, CustomStringConvertible {
    case system(String, Int32)
    case missingProgram(String)
    case inUse(String, pid_t?)
    case childEnded(String, reason: String, log: String)
    case childNotReady(String, reason: String, log: String)
    case stopped
    case noEndpoints(String)
    case badEndpoints(String)
    case unknownService(String)
    case badMethod(String)
    case badMetadata(String)
    case badInput(String)
    case noReader

    var description: String {
        switch self {
        case .system(let what, let reason): "\(what): \(String(cString: strerror(reason)))"
        case .missingProgram(let path):
            "\(path) is not there: build it with `swift build -c release`"
        case .inUse(let folder, let process):
            "\(folder) is in use by process \(process.map { "\($0)" } ?? "unknown"): stop that one "
                + "first, or give this one a folder of its own with --data"
        case .childEnded(let name, let reason, let log):
            "\(name) ended before it was ready: \(reason)\n(its log is \(log))"
        case .childNotReady(let name, let reason, let log):
            "\(name) did not become ready: \(reason)\n(its log is \(log))"
        case .stopped: "stopped before all was ready"
        case .noEndpoints(let path):
            "cannot read \(path): start `postern up` first, or name the file with --endpoints"
        case .badEndpoints(let path): "\(path) is not what `postern up` writes"
        case .unknownService(let name): "the endpoints file names no service \(name)"
        case .badMethod(let name):
            "\(name) is no method: name it like postern.gateway.v1.Auth/SignInWithPassword"
        case .badMetadata(let text): "\(text): metadata is KEY=VALUE"
        case .badInput(let reason): reason
        case .noReader: "nobody reads the output any more"
        }
    }
}
