import Foundation

/// The memory of a process, as the kernel reports it.
enum ProcessMemory {
    /// Resident bytes now.
    static func resident(_ process: pid_t) throws -> Int {
        try bytes("Rss:", "/proc/\(process)/smaps_rollup")
    }

    /// The peak of resident bytes.
    static func peak(_ process: pid_t) throws -> Int {
        try bytes("VmHWM:", "/proc/\(process)/status")
    }

    private static func bytes(_ name: String, _ file: String) throws -> Int {
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
        let words = lines.first { $0.hasPrefix(name) }?.split(whereSeparator: \.isWhitespace)
        guard let words, words.count == 3, let kibibytes = Int(words[1]) else {
            throw ClusterError(message: "\(file) has no \(name)")
        }
        return kibibytes * 1_024
    }
}
