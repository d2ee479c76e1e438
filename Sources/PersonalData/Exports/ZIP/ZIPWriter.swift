import ServiceRuntime

/// Writes a ZIP archive as a stream (PKWARE's APPNOTE.TXT 6.3.10): it returns the bytes of each
/// step, which the caller writes one after another, and goes back nowhere. So lengths and checksum
/// of a file follow its content, in a data descriptor (4.3.9), and are again in the directory at
/// the end.
///
///     begin  append …  end      for each file
///     finish                    once
///
/// In memory are zlib's state and the directory, about 100 bytes a file.
struct ZIPWriter {
    /// From here on the format needs ZIP64, which this writer does not have.
    private static let bytesMax = UInt64(UInt32.max)
    private static let filesMax = Int(UInt16.max) - 1
    private static let nameBytesMax = 255
    /// Version 2.0: deflate.
    private static let version: UInt16 = 20
    /// Bit 3: lengths are in a data descriptor. Bit 11: names are UTF-8 (4.4.4).
    private static let flags: UInt16 = 1 << 3 | 1 << 11
    private static let deflated: UInt16 = 8

    /// A file, as the directory has it.
    private struct File {
        let name: [UInt8]
        /// Where its header begins.
        let offset: UInt64
        var crc = CRC32()
        var bytes: UInt64 = 0
        var compressedBytes: UInt64 = 0
    }

    private let moment: DOSTime
    private let deflater: Deflater
    private var files: [File] = []
    /// Bytes returned so far.
    private(set) var offset: UInt64 = 0

    /// An archive whose files were made at `moment`.
    /// - Throws: `ZIPError.noMemory`.
    init(at moment: Timestamp) throws(ZIPError) {
        self.moment = DOSTime(moment)
        deflater = try Deflater()
    }

    /// Begins a file.
    /// - Throws: `ZIPError.badName`, `ZIPError.tooLarge`.
    mutating func begin(_ name: String) throws(ZIPError) -> [UInt8] {
        let text = Array(name.utf8)
        guard (1...Self.nameBytesMax).contains(text.count), text.first != UInt8(ascii: "."),
            !text.contains(where: { $0 < 32 || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
            )
        else { throw .badName }
        guard !files.contains(where: { $0.name == text }) else { throw .badName }
        guard files.count < Self.filesMax else { throw .tooLarge }
        files.append(File(name: text, offset: offset))
        var header = LittleEndian()
        header.append(UInt32(0x0403_4b50))
        appendCommon(to: &header)
        // Checksum and lengths: see the data descriptor.
        for _ in 0..<3 { header.append(UInt32(0)) }
        header.append(UInt16(text.count))
        header.append(UInt16(0))
        return try counted(header.bytes + text)
    }

    /// Adds content to the file that was begun last.
    /// - Throws: `ZIPError.tooLarge`, `ZIPError.failed`.
    mutating func append(_ content: [UInt8]) throws(ZIPError) -> [UInt8] {
        let last = files.count - 1
        files[last].bytes += UInt64(content.count)
        guard files[last].bytes < Self.bytesMax else { throw .tooLarge }
        files[last].crc.append(content)
        return try compressed(try deflater.append(content))
    }

    /// Ends the file that was begun last.
    /// - Throws: `ZIPError.tooLarge`, `ZIPError.failed`.
    mutating func end() throws(ZIPError) -> [UInt8] {
        let rest = try compressed(try deflater.end())
        var descriptor = LittleEndian()
        descriptor.append(UInt32(0x0807_4b50))
        appendSizes(of: files[files.count - 1], to: &descriptor)
        return rest + (try counted(descriptor.bytes))
    }

    /// Ends the archive, with its directory.
    /// - Throws: `ZIPError.tooLarge`.
    mutating func finish() throws(ZIPError) -> [UInt8] {
        let start = offset
        var directory = LittleEndian()
        for file in files { appendEntry(of: file, to: &directory) }
        let length = UInt64(directory.bytes.count)
        guard start + length < Self.bytesMax else { throw .tooLarge }
        directory.append(UInt32(0x0605_4b50))
        directory.append(UInt32(0))  // one disk
        directory.append(UInt16(files.count))
        directory.append(UInt16(files.count))
        directory.append(UInt32(length))
        directory.append(UInt32(start))
        directory.append(UInt16(0))  // no comment
        return try counted(directory.bytes)
    }

    // MARK: Records

    private func appendEntry(of file: File, to directory: inout LittleEndian) {
        directory.append(UInt32(0x0201_4b50))
        directory.append(Self.version)
        appendCommon(to: &directory)
        appendSizes(of: file, to: &directory)
        directory.append(UInt16(file.name.count))
        // No extra field, no comment, disk 0, no attributes.
        for _ in 0..<4 { directory.append(UInt16(0)) }
        directory.append(UInt32(0))
        directory.append(UInt32(file.offset))
        directory.bytes += file.name
    }

    private func appendCommon(to record: inout LittleEndian) {
        record.append(Self.version)
        record.append(Self.flags)
        record.append(Self.deflated)
        record.append(moment.time)
        record.append(moment.date)
    }

    private func appendSizes(of file: File, to record: inout LittleEndian) {
        record.append(file.crc.value)
        record.append(UInt32(file.compressedBytes))
        record.append(UInt32(file.bytes))
    }

    private mutating func compressed(_ bytes: [UInt8]) throws(ZIPError) -> [UInt8] {
        files[files.count - 1].compressedBytes += UInt64(bytes.count)
        return try counted(bytes)
    }

    private mutating func counted(_ bytes: [UInt8]) throws(ZIPError) -> [UInt8] {
        offset += UInt64(bytes.count)
        guard offset < Self.bytesMax else { throw .tooLarge }
        return bytes
    }
}

/// The integers of ZIP's records.
private struct LittleEndian {
    var bytes: [UInt8] = []

    mutating func append<Number: FixedWidthInteger>(_ number: Number) {
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }
}

/// A time as MS-DOS has it, in UTC, to two seconds; from 1980 on.
private struct DOSTime {
    let date: UInt16
    let time: UInt16

    init(_ moment: Timestamp) {
        // `2026-01-31T09:05:07.000Z`.
        let numbers = moment.text.split { !$0.isNumber }.compactMap { UInt16($0) }
        guard numbers.count >= 6, (1980...2107).contains(numbers[0]) else {
            (date, time) = (1 << 5 | 1, 0)
            return
        }
        date = (numbers[0] - 1980) << 9 | numbers[1] << 5 | numbers[2]
        time = numbers[3] << 11 | numbers[4] << 5 | numbers[5] / 2
    }
}
