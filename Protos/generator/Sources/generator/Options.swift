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
    /// What the calling session is to the method; OpenAPI and tools read it.
    var session = Session.unspecified
    var isPublic = false
    /// The service that implements a method of the gateway; nil for the gateway itself.
    var owner: Owner?
    /// What is charged for it.
    var limit: Limit?

    /// `postern.options.v1.Session`.
    enum Session: UInt64 {
        case unspecified, none, optional, required, anyAge
    }

    /// `postern.options.v1.Owner`.
    enum Owner: UInt64, CaseIterable {
        case identity = 1, session
    }

    /// `postern.options.v1.LimitedAction`.
    enum Limit: UInt64 {
        case documentWrite = 1, documentWork, profileUpdate, passwordCheck, unlink, deletion
        case photoUpload, guestBundle, pushDevice, push, backendAccount
    }

    init(_ method: MethodDescriptor) {
        // A follower stays for long, and resumes by a position.
        let isLong = method.serverStreaming || method.name.hasPrefix("Watch")
        timeoutMilliseconds = isLong ? 3_600_000 : 10_000
        var bytes = OptionBytes(method.options.unknownFields.data, of: method.fullName)
        while let (number, value) = bytes.next() {
            switch number {
            case 50_001: isIdempotent = value != 0
            case 50_002: timeoutMilliseconds = Int(value)
            case 50_003: isOnLoop = value != 0
            case 50_004: hedgeAfterMilliseconds = Int(value)
            case 50_005: isCostly = value != 0
            case 50_006: isForNamedCallersOnly = value != 0
            case 50_007:
                guard let known = Session(rawValue: value) else {
                    fatalError("\(method.fullName): unknown session \(value)")
                }
                session = known
            case 50_008: isPublic = value != 0
            case 50_009:
                guard let known = Owner(rawValue: value) else {
                    fatalError("\(method.fullName): unknown owner \(value)")
                }
                owner = known
            case 50_010:
                guard let known = Limit(rawValue: value) else {
                    fatalError("\(method.fullName): unknown limited action \(value)")
                }
                limit = known
            default: fatalError("\(method.fullName): unknown option \(number)")
            }
        }
    }
}

/// Our options of a field (`postern/options/v1/options.proto`), read like a method's.
struct FieldOptions {
    var isSecret = false
    /// Of two calls with one idempotency key, the values may differ.
    var repeatMayChange = false

    init(_ field: FieldDescriptor) {
        var bytes = OptionBytes(field.options.unknownFields.data, of: field.fullName)
        while let (number, value) = bytes.next() {
            switch number {
            case 50_001: isSecret = value != 0
            case 50_002: repeatMayChange = value != 0
            default: fatalError("\(field.fullName): unknown option \(number)")
            }
        }
    }
}

extension Descriptor {
    /// Whether it or a message in it has a secret field. No message holds itself (`Restrictions`).
    var hasSecrets: Bool {
        fields.contains { FieldOptions($0).isSecret || $0.messageType?.hasSecrets == true }
    }

    /// Whether a repeat of a call with it may differ from it.
    var hasChangeableFields: Bool {
        fields.contains { $0.repeatMayChange || $0.messageType?.hasChangeableFields == true }
    }
}

extension FieldDescriptor {
    /// Whether a repeat of a call may have another value of it.
    var repeatMayChange: Bool {
        let options = FieldOptions(self)
        return options.isSecret || options.repeatMayChange
    }
}

/// Options as the descriptor library keeps those that it does not know: numbers and varints.
struct OptionBytes {
    private var bytes: ArraySlice<UInt8>
    private let owner: String

    init(_ bytes: some Sequence<UInt8>, of owner: String) {
        self.bytes = Array(bytes)[...]
        self.owner = owner
    }

    /// The next option's number and value.
    mutating func next() -> (number: UInt64, value: UInt64)? {
        guard !bytes.isEmpty else { return nil }
        let tag = varint()
        precondition(tag & 7 == 0, "\(owner): an option that is not a number")
        return (tag >> 3, varint())
    }

    private mutating func varint() -> UInt64 {
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
