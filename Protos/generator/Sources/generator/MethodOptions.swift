import SwiftProtobuf
import SwiftProtobufPluginLibrary

/// Our options of a method (`postern/options/v1/options.proto`), read from the bytes that the
/// descriptor library keeps because it does not know them: varints.
struct MethodOptions {
    var isIdempotent = false
    var timeoutMilliseconds: Int
    var isOnLoop = false
    var hedgeAfterMilliseconds: Int?
    var isCostly = false
    var isForNamedCallersOnly = false

    init(_ method: MethodDescriptor) {
        // A follower stays for long, and resumes by a position.
        let isLong = method.serverStreaming || method.name.hasPrefix("Watch")
        timeoutMilliseconds = isLong ? 3_600_000 : 10_000
        var bytes = Array(method.options.unknownFields.data)[...]
        while !bytes.isEmpty {
            let tag = Self.varint(&bytes)
            precondition(tag & 7 == 0, "\(method.fullName): an option that is not a number")
            let value = Self.varint(&bytes)
            switch tag >> 3 {
            case 50_001: isIdempotent = value != 0
            case 50_002: timeoutMilliseconds = Int(value)
            case 50_003: isOnLoop = value != 0
            case 50_004: hedgeAfterMilliseconds = Int(value)
            case 50_005: isCostly = value != 0
            case 50_006: isForNamedCallersOnly = value != 0
            default: fatalError("\(method.fullName): unknown option \(tag >> 3)")
            }
        }
    }

    private static func varint(_ bytes: inout ArraySlice<UInt8>) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while let byte = bytes.popFirst() {
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        fatalError("a cut option")
    }
}
