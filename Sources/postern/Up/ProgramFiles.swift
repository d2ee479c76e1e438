import Glibc

/// The paths of the five programs: in the folder of this one.
struct ProgramFiles {
    private let folder: String

    /// The folder that this program was started from.
    static func besideThisOne() throws -> ProgramFiles {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { throw ToolError.system("/proc/self/exe", errno) }
        let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        return ProgramFiles(folder: String(folder))
    }

    /// The path of a program.
    func path(of name: String) throws -> String {
        let path = "\(folder)/\(name)"
        guard access(path, X_OK) == 0 else { throw ToolError.missingProgram(path) }
        return path
    }
}
