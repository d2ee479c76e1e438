import Glibc

/// Why the tool cannot run a command; each message says what to do.
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
            "\(path) does not exist: build it with `swift build -c release`"
        case .inUse(let folder, let process):
            "\(folder) is in use by process \(process.map { "\($0)" } ?? "unknown"): stop that "
                + "process first, or use another folder with --data"
        case .childEnded(let name, let reason, let log):
            "\(name) ended before it was ready: \(reason)\n(its log is \(log))"
        case .childNotReady(let name, let reason, let log):
            "\(name) did not become ready: \(reason)\n(its log is \(log))"
        case .stopped: "stopped before all programs were ready"
        case .noEndpoints(let path):
            "cannot read \(path): start `postern up` first, or give the file with --endpoints"
        case .badEndpoints(let path): "\(path) is not a valid endpoints file"
        case .unknownService(let name): "the endpoints file has no service \(name)"
        case .badMethod(let name):
            "\(name) is no method; example: postern.gateway.v1.Auth/SignInWithPassword"
        case .badMetadata(let text): "\(text): metadata is KEY=VALUE"
        case .badInput(let reason): reason
        case .noReader: "the output was closed"
        }
    }
}
