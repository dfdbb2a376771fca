package simulation

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat"
)

// Cost is what work costs on a cluster: means over simulations.
type Cost struct {
	Nodes       int     `json:"nodes"`
	Shards      int     `json:"shards"`
	Wall        float64 `json:"wall_seconds"`    // see [Outcome]
	WallSD      float64 `json:"wall_sd_seconds"` // its standard deviation over simulations; 0 for one
	NodeHours   float64 `json:"node_hours"`      // that attempts held nodes
	Utilisation float64 `json:"utilisation"`     // see [Outcome]
	Attempts    float64 `json:"attempts"`
	Lost        float64 `json:"lost"` // attempts that a failure ended
	Simulations int     `json:"simulations"`
}

// Search says what means are taken over and which numbers of shards are tried.
type Search struct {
	// Simulations of each number of shards, at most: once there are [Fewest], they end where the standard error of the wall
	// time is below a hundredth of its mean.
	Simulations int

	Seed   uint64 // of the first simulation; that of each other is the next
	Shards int    // the most that a scheduler takes as one array; 0 for no bound
}

// Fewest is the number of simulations after which a mean may be precise enough.
const Fewest = 5

// Cost returns what work costs when it is cut into so many shards, at most.
func (c Cluster) Cost(ctx context.Context, w Work, shards int, s Search) (Cost, error) {
	if s.Simulations < 1 {
		return Cost{}, fmt.Errorf("%d simulations; at least 1 is needed", s.Simulations)
	}
	cut, err := w.Cut(shards)
	if err != nil {
		return Cost{}, err
	}
	return c.cost(ctx, cut, s)
}

func (c Cluster) cost(ctx context.Context, cut Shards, s Search) (Cost, error) {
	cost := Cost{Nodes: c.Nodes, Shards: cut.Len()}
	var walls []float64
	for len(walls) < s.Simulations {
		if err := ctx.Err(); err != nil {
			return Cost{}, err
		}
		outcomes, err := c.simulateMany(cut, s.Seed+uint64(len(walls)), min(Fewest, s.Simulations-len(walls)))
		if err != nil {
			return Cost{}, err
		}
		for _, o := range outcomes {
			walls = append(walls, o.Wall)
			cost.NodeHours += o.NodeSeconds / 3600
			cost.Utilisation += o.Utilisation
			cost.Attempts += float64(o.Attempts)
			cost.Lost += float64(o.Lost)
		}
		if cost.Wall, cost.WallSD = stat.PopMeanStdDev(walls, nil); len(walls) > 1 {
			cost.WallSD = stat.StdDev(walls, nil)
		}
		if len(walls) >= Fewest && stat.StdErr(cost.WallSD, float64(len(walls))) < 0.01*cost.Wall {
			break
		}
	}
	n := float64(len(walls))
	cost.NodeHours, cost.Utilisation, cost.Attempts, cost.Lost = cost.NodeHours/n, cost.Utilisation/n, cost.Attempts/n, cost.Lost/n
	cost.Simulations = len(walls)
	return cost, nil
}

// simulateMany runs simulations side by side.
func (c Cluster) simulateMany(cut Shards, seed uint64, n int) ([]Outcome, error) {
	outcomes, errs := make([]Outcome, n), make([]error, n)
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i := range outcomes {
		free <- struct{}{}
		all.Go(func() {
			outcomes[i], errs[i] = c.Simulate(cut, seed+uint64(i))
			<-free
		})
	}
	all.Wait()
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return nil, errs[i]
	}
	return outcomes, nil
}

// Even is the share of the least wall time by which that of a number of shards may exceed it and still be as good.
const Even = 0.01

// Best returns the cost at the best number of shards: the least that is as good ([Even]) as any of those that are tried. Tried
// are the nodes' number times powers of two and one and a half times these: up to 16 times, and on until the wall time has been
// longer than the least three times in a row; and down until that, or until it has been longer by a tenth.
func (c Cluster) Best(ctx context.Context, w Work, s Search) (Cost, error) {
	if s.Simulations < 1 || s.Shards < 0 {
		return Cost{}, fmt.Errorf("%d simulations of up to %d shards; at least 1, and 0 shards for no bound, are needed", s.Simulations, s.Shards)
	}
	most := w.Blocks()
	if s.Shards > 0 {
		most = min(most, s.Shards)
	}
	tried := map[int]Cost{} // by number of shards
	least := math.Inf(1)
	try := func(shards int) (wall float64, err error) {
		cut, err := w.Cut(min(max(shards, 1), most))
		if err != nil {
			return 0, err
		}
		cost, known := tried[cut.Len()]
		if !known {
			if cost, err = c.cost(ctx, cut, s); err != nil {
				return 0, err
			}
			tried[cut.Len()] = cost
			least = min(least, cost.Wall)
		}
		return cost.Wall, nil
	}
	const up, worst = 8, 3
	for step, worse := 0, 0; worse < worst && (step == 0 || rung(c.Nodes, step-1) < most); step++ {
		wall, err := try(rung(c.Nodes, step))
		if err != nil {
			return Cost{}, err
		}
		if worse++; wall <= least || step < up {
			worse = 0
		}
	}
	for step, worse := -1, 0; worse < worst && rung(c.Nodes, step+1) > 1; step-- {
		wall, err := try(rung(c.Nodes, step))
		if err != nil {
			return Cost{}, err
		}
		if worse++; wall <= least {
			worse = 0
		} else if wall > 1.1*least {
			break
		}
	}
	var best Cost
	for _, t := range tried {
		if t.Wall <= (1+Even)*least && (best.Shards == 0 || t.Shards < best.Shards) {
			best = t
		}
	}
	return best, nil
}

// rung returns nodes times 2^(step/2), with 3/2 in the place of the root of 2, rounded.
func rung(nodes, step int) int {
	half := step & 1
	return int(min(math.Round(float64(nodes)*math.Exp2(float64((step-half)/2))*(1+float64(half)/2)), math.MaxInt32))
}

// Doublings returns 1, 2, 4, … up to the first number of nodes that is not below most.
func Doublings(most int) (nodes []int) {
	for n := 1; ; n *= 2 {
		nodes = append(nodes, n)
		if n >= most {
			return nodes
		}
	}
}

// Saves is the share of the wall time that twice the nodes save where work scales, at least.
const Saves = 0.1

// StopsAt returns the number of nodes at which work stops scaling, the first of which twice as many save less than [Saves] of
// the wall time, or 0 where there is none among the costs of 1, 2, 4, … nodes.
func StopsAt(doublings []Cost) (nodes int, err error) {
	for i := range doublings {
		if doublings[i].Nodes != 1<<i {
			return 0, errors.New("the costs are not those of 1, 2, 4, … nodes")
		}
		if i > 0 && doublings[i].Wall > (1-Saves)*doublings[i-1].Wall {
			return doublings[i-1].Nodes, nil
		}
	}
	return 0, nil
}
