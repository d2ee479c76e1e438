import Foundation
import Glibc

/// Searches for bytes in all writable memory of a process: heap, stacks, mapped memory.
enum MemoryScan {
    /// A position where they were found.
    struct Place: CustomStringConvertible {
        /// `[heap]`, `[stack]`, a file or empty, as the kernel names it.
        let region: String
        let address: UInt
        /// The bytes around it, with a dot for each that cannot be printed.
        let context: String

        var description: String { "\(String(address, radix: 16)) \(region): \(context)" }
    }

    /// Bytes of a piece that is read at once.
    private static let pieceBytes = 4 << 20
    /// Bytes shown on each side of a match.
    private static let contextBytes = 48

    /// The positions of `bytes` in the memory of `process`.
    /// - Throws: `ClusterError` if the memory cannot be read.
    static func places(of bytes: [UInt8], in process: pid_t) throws -> [Place] {
        let memory = open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else {
            throw ClusterError(message: "/proc/\(process)/mem: \(String(cString: strerror(errno)))")
        }
        defer { _ = close(memory) }
        let regions = try regions(of: process)
        guard !regions.isEmpty else { throw ClusterError(message: "\(process) has no memory map") }
        return regions.flatMap { places(of: bytes, in: $0, memory) }
    }

    private struct Region {
        let start: UInt
        let end: UInt
        let name: String
    }

    private static func regions(of process: pid_t) throws -> [Region] {
        let lines = try String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8)
        return lines.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard words[1].hasPrefix("rw"), ends.count == 2 else { return nil }
            let name = words.count > 5 ? String(words[5]) : ""
            return Region(start: ends[0], end: ends[1], name: name)
        }
    }

    private static func places(of bytes: [UInt8], in region: Region, _ memory: Int32) -> [Place] {
        var found: [Place] = []
        var piece = [UInt8](repeating: 0, count: pieceBytes)
        var start = region.start
        while start < region.end {
            let count = pread(
                memory, &piece, min(pieceBytes, Int(region.end - start)), off_t(start))
            guard count > 0 else { break }  // an unmapped page, or a device's
            for place in offsets(of: bytes, in: piece[..<count]) {
                let around = piece[..<count]
                    .dropFirst(max(0, place - contextBytes)).prefix(2 * contextBytes + bytes.count)
                found.append(
                    Place(
                        region: region.name, address: start + UInt(place), context: shown(around)))
            }
            // A match that begins at the end of this piece is found in the next one.
            guard count > bytes.count, start + UInt(count) < region.end else { break }
            start += UInt(count - bytes.count + 1)
        }
        return found
    }

    private static func offsets(of bytes: [UInt8], in piece: ArraySlice<UInt8>) -> [Int] {
        guard let first = bytes.first else { return [] }
        return piece.withUnsafeBytes { piece in
            guard let start = piece.baseAddress else { return [] }
            var (offsets, position): ([Int], Int) = ([], 0)
            while position + bytes.count <= piece.count,
                let hit = memchr(start + position, Int32(first), piece.count - position)
            {
                let offset = UnsafeRawPointer(hit) - start
                guard offset + bytes.count <= piece.count else { break }
                if memcmp(hit, bytes, bytes.count) == 0 { offsets.append(offset) }
                position = offset + 1
            }
            return offsets
        }
    }

    private static func shown(_ bytes: ArraySlice<UInt8>) -> String {
        String(
            decoding: bytes.map { 0x20..<0x7f ~= $0 ? $0 : UInt8(ascii: ".") }, as: UTF8.self)
    }
}
