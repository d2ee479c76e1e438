import Addresses
import CMaxMindDB
import Glibc
import ServiceRuntime

/// One content of the operator's place file: a MaxMind DB with countries or cities, as GeoLite2,
/// DB-IP and others publish it.
///
/// The library maps its file. A mapped file that somebody shortens in place ends the process
/// (SIGBUS), and one that is overwritten changes under the reader. So the file is copied into
/// memory, sealed, and the library opens the copy. The cost is its size: some 6 MB for countries,
/// 60 MB for cities.
///
/// `@unchecked`: nothing changes the database between `init` and `deinit`, and the library's
/// functions that look something up only read it.
final class PlaceDatabase: @unchecked Sendable {
    private let file: Int32
    private let database: UnsafeMutablePointer<MMDB_s>

    /// Copies and opens the file at `path`.
    /// - Throws: `PlaceFileMistake`.
    init(path: String) throws(PlaceFileMistake) {
        let copy = try SealedCopy(of: path)
        let database = UnsafeMutablePointer<MMDB_s>.allocate(capacity: 1)
        database.initialize(to: MMDB_s())
        let status = MMDB_open("/proc/self/fd/\(copy.file)", UInt32(MMDB_MODE_MMAP), database)
        guard status == MMDB_SUCCESS else {
            database.deallocate()
            close(copy.file)
            throw PlaceFileMistake("is no MaxMind DB: \(Self.text(of: status))")
        }
        file = copy.file
        self.database = database
        if let damage = Self.damage(in: database) {
            throw PlaceFileMistake("is damaged: \(damage)")
        }
    }

    deinit {
        MMDB_close(database)
        database.deallocate()
        close(file)
    }

    /// Where an address is; nil if the file does not know it.
    func place(of address: ClientAddress) -> Place? {
        var entry = MMDB_entry_s()
        guard Self.find(address.bytes, in: database, &entry).isFound,
            let country = text(&entry, "country", "iso_code", maxBytes: Self.countryBytes)
        else { return nil }
        return Place(
            country: country,
            city: text(&entry, "city", "names", "en", maxBytes: Place.cityBytesMax) ?? "",
            position: position(&entry))
    }

    /// As long as the code of a country is.
    private static let countryBytes = 2

    private func position(_ entry: inout MMDB_entry_s) -> Place.Position? {
        guard let latitude = tenths(&entry, "latitude"), let longitude = tenths(&entry, "longitude")
        else { return nil }
        return Place.Position(latitude: latitude, longitude: longitude)
    }

    /// A coordinate, rounded; nil for none, and for one that is on no globe.
    private func tenths(_ entry: inout MMDB_entry_s, _ name: String) -> Int? {
        var (number, isFound) = (0.0, false)
        let status = cmaxminddb_number(&entry, "location", name, &number, &isFound)
        guard status == MMDB_SUCCESS, isFound, abs(number) <= 180 else { return nil }
        return Int((number * 10).rounded())
    }

    private func text(
        _ entry: inout MMDB_entry_s, _ first: String, _ second: String, _ third: String? = nil,
        maxBytes: Int
    ) -> String? {
        var found: UnsafePointer<CChar>?
        var bytes: UInt32 = 0
        let status = cmaxminddb_text(&entry, first, second, third, &found, &bytes)
        guard status == MMDB_SUCCESS, let found, bytes <= maxBytes else { return nil }
        let buffer = UnsafeRawBufferPointer(start: found, count: Int(bytes))
        return String(validating: buffer, as: UTF8.self)
    }

    // MARK: Check

    /// Addresses that a new file is asked for: one of each IPv4 /12, and one of each IPv6 /12 of
    /// those that are routed.
    private static let probes: [[UInt8]] = {
        let v4 = (0..<4_096).map { number -> [UInt8] in
            [UInt8(number >> 4), UInt8((number & 15) << 4), 0, 1]
        }
        let v6 = (0..<512).map { number -> [UInt8] in
            let start = [0x20 + UInt8(number >> 4), UInt8((number & 15) << 4)]
            return start + [UInt8](repeating: 0, count: 14)
        }
        return v4 + v6
    }()

    /// What is wrong with the search tree or with entries; nil if nothing was found. A file that
    /// was written over in the middle has its description at the end, so it opens.
    private static func damage(in database: UnsafeMutablePointer<MMDB_s>) -> String? {
        for probe in probes {
            var entry = MMDB_entry_s()
            let (status, isFound) = find(probe, in: database, &entry)
            if isDamage(status) { return text(of: status) }
            guard isFound else { continue }
            var country: UnsafePointer<CChar>?
            var bytes: UInt32 = 0
            let entryStatus = cmaxminddb_text(
                &entry, "country", "iso_code", nil, &country, &bytes)
            if isDamage(entryStatus) { return text(of: entryStatus) }
        }
        return nil
    }

    /// Whether a status says that the file is not what its writer wrote. The others say that it has
    /// no such address, or an entry no such key.
    private static func isDamage(_ status: Int32) -> Bool {
        [
            MMDB_CORRUPT_SEARCH_TREE_ERROR, MMDB_INVALID_METADATA_ERROR, MMDB_INVALID_DATA_ERROR,
            MMDB_INVALID_NODE_NUMBER_ERROR,
        ].contains(status)
    }

    private static func find(
        _ address: [UInt8], in database: UnsafePointer<MMDB_s>, _ entry: inout MMDB_entry_s
    ) -> (status: Int32, isFound: Bool) {
        var isFound = false
        let status = cmaxminddb_find(database, address, address.count, &entry, &isFound)
        return (status, isFound)
    }

    private static func text(of status: Int32) -> String {
        MMDB_strerror(status).map { String(cString: $0) } ?? "error \(status)"
    }
}

/// What is wrong with a place file.
struct PlaceFileMistake: Error, Hashable, Sendable {
    /// In words that follow the file's path.
    let text: String

    init(_ text: String) { self.text = text }
}

/// A read-only copy of a file in memory (memfd_create(2), with seals).
private struct SealedCopy {
    /// The longest place file, in bytes. Beyond this it is probably another file.
    private static let bytesMax = 1 << 30
    private static let chunkBytes = 1 << 20

    /// Its descriptor, which the caller closes.
    let file: Int32

    /// - Throws: `PlaceFileMistake`.
    init(of path: String) throws(PlaceFileMistake) {
        // O_NONBLOCK: a named pipe must not hold the program up.
        let source = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard source >= 0 else { throw Self.mistake("cannot be opened") }
        defer { close(source) }
        let before = FileStamp(of: source)
        guard let before, before.isRegular else { throw PlaceFileMistake("is no file") }
        guard before.bytes <= Self.bytesMax else {
            throw PlaceFileMistake("is larger than \(Self.bytesMax >> 20) MiB")
        }
        let copy = cmaxminddb_new_file()
        guard copy >= 0 else { throw Self.mistake("cannot be copied into memory") }
        do throws(PlaceFileMistake) {
            try Self.copy(source, to: copy)
            guard FileStamp(of: source) == before else {
                throw PlaceFileMistake("was changed while it was read")
            }
            guard cmaxminddb_seal(copy) == 0 else { throw Self.mistake("cannot be sealed") }
        } catch {
            close(copy)
            throw error
        }
        file = copy
    }

    private static func copy(_ source: Int32, to copy: Int32) throws(PlaceFileMistake) {
        var chunk = [UInt8](repeating: 0, count: chunkBytes)
        var total = 0
        while true {
            let count = chunk.withUnsafeMutableBytes { read(source, $0.baseAddress, $0.count) }
            guard count >= 0 else { throw mistake("cannot be read") }
            if count == 0 { return }
            total += count
            guard total <= bytesMax else { throw PlaceFileMistake("grows while it is read") }
            var written = 0
            while written < count {
                let more = chunk.withUnsafeBytes {
                    write(copy, $0.baseAddress.map { $0 + written }, count - written)
                }
                guard more > 0 else { throw mistake("cannot be copied into memory") }
                written += more
            }
        }
    }

    private static func mistake(_ what: String) -> PlaceFileMistake {
        PlaceFileMistake("\(what): \(String(cString: strerror(errno)))")
    }
}
