import TestSupport

/// One thing that happens in a model's world. Numbers are taken modulo what there is, so that a step keeps its meaning when
/// others before it are left out.
enum ModelStep: Sendable, CustomStringConvertible {
    // The list
    case add(resource: Int, title: Int, collection: Int, at: Int)
    case drop(Int)
    case shift(Int, to: Int)
    case relink(Int, resource: Int)
    case expectedContent(Int, isRight: Bool)
    case clear
    // The server
    case change(Int, kind: Int, size: Int)
    case status(Int, Int)
    case validator(Int, Int)
    case life(Int, Int)
    // The user
    case delete(Int)
    case spoil(Int, isLonger: Bool)
    case stranger(Int, isEqual: Bool)
    // The job file
    case template(Int)
    case refresh(String)
    case limit(Int?)
    case deduplicate(Bool)
    case sidecar(Bool)
    case move
    case directory
    // Time, in days
    case wait(Int)
    // The program
    case plan(ModelSelection)
    case run(ModelSelection)
    case verify(isRepairing: Bool)
    case collect(Int?)
    case reset(Int?)
    case view(Int)
    case interrupt(ModelSelection, request: Int)
    case kill(ModelVictim, call: Int)

    var description: String {
        switch self {
        case .add(let resource, let title, let collection, let position):
            ".add(resource: \(resource), title: \(title), collection: \(collection), at: \(position))"
        case .drop(let item): ".drop(\(item))"
        case .shift(let item, let position): ".shift(\(item), to: \(position))"
        case .relink(let item, let resource): ".relink(\(item), resource: \(resource))"
        case .expectedContent(let item, let isRight): ".expectedContent(\(item), isRight: \(isRight))"
        case .clear: ".clear"
        case .change(let resource, let kind, let size): ".change(\(resource), kind: \(kind), size: \(size))"
        case .status(let resource, let status): ".status(\(resource), \(status))"
        case .validator(let resource, let validator): ".validator(\(resource), \(validator))"
        case .life(let resource, let days): ".life(\(resource), \(days))"
        case .delete(let item): ".delete(\(item))"
        case .spoil(let item, let isLonger): ".spoil(\(item), isLonger: \(isLonger))"
        case .stranger(let item, let isEqual): ".stranger(\(item), isEqual: \(isEqual))"
        case .template(let number): ".template(\(number))"
        case .refresh(let mode): ".refresh(\"\(mode)\")"
        case .limit(let bytes): ".limit(\(bytes.map(String.init) ?? "nil"))"
        case .deduplicate(let isOn): ".deduplicate(\(isOn))"
        case .sidecar(let isOn): ".sidecar(\(isOn))"
        case .move: ".move"
        case .directory: ".directory"
        case .wait(let days): ".wait(\(days))"
        case .plan(let selection): ".plan(\(selection))"
        case .run(let selection): ".run(\(selection))"
        case .verify(let isRepairing): ".verify(isRepairing: \(isRepairing))"
        case .collect(let bytes): ".collect(\(bytes.map(String.init) ?? "nil"))"
        case .reset(let collection): ".reset(\(collection.map(String.init) ?? "nil"))"
        case .view(let item): ".view(\(item))"
        case .interrupt(let selection, let request): ".interrupt(\(selection), request: \(request))"
        case .kill(let victim, let call): ".kill(\(victim), call: \(call))"
        }
    }
}

/// A command that is killed.
enum ModelVictim: Sendable, CustomStringConvertible {
    case run(ModelSelection)
    case repair
    case collect(Int?)
    case reset(Int?)

    var description: String {
        switch self {
        case .run(let selection): ".run(\(selection))"
        case .repair: ".repair"
        case .collect(let bytes): ".collect(\(bytes.map(String.init) ?? "nil"))"
        case .reset(let collection): ".reset(\(collection.map(String.init) ?? "nil"))"
        }
    }
}

/// What a run is of.
struct ModelSelection: Sendable, CustomStringConvertible {
    var isRefreshing = false
    var isFailedOnly = false
    /// The collections whose items are selected.
    var only: [Int] = []
    var limit: Int?

    var isWhole: Bool { !isFailedOnly && only.isEmpty && limit == nil }

    var description: String {
        var members: [String] = []
        if isRefreshing { members.append("isRefreshing: true") }
        if isFailedOnly { members.append("isFailedOnly: true") }
        if !only.isEmpty { members.append("only: \(only)") }
        if let limit { members.append("limit: \(limit)") }
        return "ModelSelection(\(members.joined(separator: ", ")))"
    }
}

extension ModelStep {
    /// The steps of a seed: a list and a first run, then anything.
    static func random(seed: Int, count: Int) -> [ModelStep] {
        var random = SplitMix(seed)
        var steps = (0..<6).map { ModelStep.add(resource: $0, title: $0, collection: $0 % 3, at: $0) }
        // The world has the source and the durability by the last two bits.
        steps.append(.sidecar(seed / 4 % 2 == 0))
        while steps.count < count {
            if Int.random(in: 0..<20, using: &random) == 0 {
                steps += trouble(&random)
            } else {
                steps.append(.random(&random))
            }
        }
        return steps
    }

    /// Steps that seldom meet by chance, and have been at fault together.
    private static func trouble(_ random: inout SplitMix) -> [ModelStep] {
        func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
        let (resource, call) = (number(12), number(150) + 1)
        switch number(7) {
        case 5:
            return [
                .sidecar(true), .run(ModelSelection()), .template(number(6)),
                .change(resource, kind: number(3), size: 250), .kill(.run(ModelSelection()), call: call * 3),
                .sidecar(number(2) == 0), .run(ModelSelection()),
            ]
        case 6:
            return [
                .sidecar(true), .run(ModelSelection()), .spoil(number(30), isLonger: number(2) == 0),
                .delete(number(30)), .template(number(6)), .run(ModelSelection()),
                .verify(isRepairing: number(2) == 0), .collect([nil, 500][number(2)]), .run(ModelSelection()),
            ]
        case 0: return [.template(number(6)), .kill(.run(ModelSelection()), call: call)]
        case 1:
            return [
                .limit([600, 1_500][number(2)]), .template(number(6)), .change(resource, kind: number(3), size: 300),
                .kill(.run(ModelSelection(isRefreshing: number(2) == 0)), call: call),
            ]
        case 2:
            return [
                .status(resource, 404), .run(ModelSelection(isRefreshing: true)), .status(resource, 200),
                .change(resource, kind: number(3), size: 200), .template(number(6)),
                .run(ModelSelection(isFailedOnly: true)),
            ]
        case 3:
            return [
                .limit(600), .run(ModelSelection()), .template(number(6)),
                .change(resource, kind: number(3), size: 100),
                .run(ModelSelection(isRefreshing: true, only: [number(3)])), .limit(nil), .run(ModelSelection()),
            ]
        default:
            return [
                .spoil(number(30), isLonger: true), .verify(isRepairing: true),
                .change(resource, kind: number(3), size: 150), .run(ModelSelection()), .reset(number(3)),
            ]
        }
    }

    private static func random(_ random: inout SplitMix) -> ModelStep {
        func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
        func chance(_ bound: Int) -> Bool { number(bound) == 0 }
        switch number(100) {
        case 0..<8: return .add(resource: number(12), title: number(9), collection: number(3), at: number(30))
        case 8..<12: return .drop(number(30))
        case 12..<14: return .shift(number(30), to: number(30))
        case 14..<16: return .relink(number(30), resource: number(12))
        case 16..<18: return .expectedContent(number(30), isRight: !chance(3))
        case 18: return chance(3) ? .clear : .wait(1)
        case 19..<25: return .change(number(12), kind: number(3), size: 50 + number(900))
        case 25..<30: return .status(number(12), [404, 410, 500, 200, 200, 200][number(6)])
        case 30..<33: return .validator(number(12), number(5))
        case 33..<37: return .life(number(12), [0, 0, 1, 3][number(4)])
        case 37..<40: return .delete(number(30))
        case 40..<43: return .spoil(number(30), isLonger: chance(2))
        case 43..<45: return .stranger(number(30), isEqual: chance(3))
        case 45..<50: return .template(number(6))
        case 50..<52: return .refresh(["changed", "changed", "always", "never"][number(4)])
        case 52..<55: return .limit([nil, 600, 1_500, 3_000][number(4)])
        case 55: return chance(2) ? .deduplicate(chance(2)) : .sidecar(!chance(3))
        case 56: return chance(2) ? .move : .directory
        case 57..<59: return .wait([1, 1, 3, 8, 31][number(5)])
        case 59..<62:
            var selection = selection(&random)
            (selection.isFailedOnly, selection.isRefreshing) = (false, false)
            return .plan(selection)
        case 62..<78: return .run(selection(&random))
        case 78..<82: return .verify(isRepairing: !chance(3))
        case 82..<85: return .collect([nil, 500, 1_500, 4_000][number(4)])
        case 85..<87: return .reset(chance(6) ? nil : number(3))
        case 87..<89: return .view(number(30))
        case 89..<93: return .interrupt(selection(&random), request: number(6))
        default: return .kill(victim(&random), call: number(150) + 1)
        }
    }

    private static func selection(_ random: inout SplitMix) -> ModelSelection {
        func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
        var selection = ModelSelection()
        switch number(10) {
        case 0..<5: break
        case 5..<7: selection.isFailedOnly = true
        case 7: selection.only = [number(3)]
        case 8: selection.limit = 1 + number(8)
        default: (selection.only, selection.limit) = ([number(3), number(3)], 1 + number(4))
        }
        selection.isRefreshing = number(6) == 0
        return selection
    }

    private static func victim(_ random: inout SplitMix) -> ModelVictim {
        func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
        return switch number(8) {
        case 0: .repair
        case 1: .collect([nil, 500, 1_500][number(3)])
        case 2: .reset(number(4) == 0 ? nil : number(3))
        default: .run(selection(&random))
        }
    }
}
